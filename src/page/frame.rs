//! What all pages begin and end with.

use super::text::escape;

/// The beginning of a page about `name`, up to its main part. `below` is HTML that stands under the heading.
pub(super) fn head(name: &str, below: &str) -> String {
    let name = escape(name);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>satir: {name}</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<header>\n<h1>{name}</h1>\n{below}</header>\n<main>\n",
        include_str!("page.css"),
    )
}

/// The end of a page that has the script.
pub(super) fn foot() -> String {
    format!("</main>\n<script>\n{}</script>\n</body>\n</html>\n", include_str!("page.js"))
}
