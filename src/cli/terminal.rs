//! What goes to the terminal besides results: how much is said, in which colors, and how far the work is.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI8, Ordering};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How much is said on standard error, and in which colors. For all commands.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct Terminal {
    /// Say nothing but errors: no table, no progress, no warnings.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,

    /// Say more: what passes did and how far the work is; twice: decisions, as RUST_LOG=satir=debug does.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,

    /// Whether messages and differences are in colors.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
}

/// -1: errors only; 0: what a user needs; 1 and more: details.
static LEVEL: AtomicI8 = AtomicI8::new(0);

impl Terminal {
    /// Takes effect for the rest of the process.
    pub(crate) fn apply(self) {
        let level = if self.quiet { -1 } else { i8::try_from(self.verbose).unwrap_or(i8::MAX) };
        LEVEL.store(level, Ordering::Relaxed);
        set_color(self.color);
        let filter = match level {
            ..0 => "error",
            0 => "warn",
            1 => "warn,satir=info",
            2 => "warn,satir=debug",
            3.. => "warn,satir=trace",
        };
        env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(filter))
            .format(|_, record| {
                let level = match record.level() {
                    log::Level::Error => "error",
                    log::Level::Warn => "warning",
                    log::Level::Info => "info",
                    log::Level::Debug => "debug",
                    log::Level::Trace => "trace",
                };
                complain(&format!("{level}: {}\n", record.args()));
                Ok(())
            })
            .init();
    }
}

/// The colors that the arguments ask for, wherever `--color` stands: what is wrong with the arguments is told in them.
pub(crate) fn color_of_arguments(args: impl Iterator<Item = std::ffi::OsString>) {
    let args: Vec<String> = args.map(|arg| arg.to_string_lossy().into_owned()).collect();
    for (at, arg) in args.iter().enumerate() {
        let next = args.get(at + 1).map(String::as_str);
        let value = arg.strip_prefix("--color=").or(if arg == "--color" { next } else { None });
        match value {
            Some("always") => set_color(ColorChoice::Always),
            Some("never") => set_color(ColorChoice::Never),
            Some(_) | None => {}
        }
    }
}

fn set_color(color: ColorChoice) {
    match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Whether only errors are told.
pub(crate) fn is_quiet() -> bool {
    LEVEL.load(Ordering::Relaxed) < 0
}

/// Tells the user something that is no error, unless that is not wanted.
pub(crate) fn note(text: &str) {
    if !is_quiet() {
        complain(text);
    }
}

/// Writes messages to standard error, what they begin with in colors. If that is closed there is nobody to tell.
pub(crate) fn complain(text: &str) {
    let painted: String = text.split_inclusive('\n').map(paint_message).collect();
    let _ = anstream::stderr().lock().write_all(painted.as_bytes());
}

const fn bold(color: AnsiColor) -> Style {
    color.on_default().bold()
}

/// A line of a message: its place, what kind of message it is, and the mark under a line of a program.
fn paint_message(line: &str) -> String {
    let kinds = [
        ("error: ", bold(AnsiColor::Red)),
        ("warning: ", bold(AnsiColor::Yellow)),
        ("info: ", bold(AnsiColor::Green)),
        ("debug: ", bold(AnsiColor::Blue)),
        ("note: ", bold(AnsiColor::Cyan)),
    ];
    for (kind, style) in kinds {
        let Some(at) = line.find(kind) else { continue };
        let place = &line[..at];
        if place.is_empty() || place.ends_with(": ") && !place.trim_end().contains(' ') {
            let word = kind.trim_end();
            let (bold, rest) = (Style::new().bold(), &line[at + word.len()..]);
            return format!("{bold}{place}{bold:#}{style}{word}{style:#}{rest}");
        }
    }
    let mark = line.trim_start_matches([' ', '.']).strip_prefix('|').map(str::trim);
    if mark == Some("^") {
        let red = bold(AnsiColor::Red);
        return line.replace('^', &format!("{red}^{red:#}"));
    }
    line.to_owned()
}

/// A unified difference in colors.
pub(crate) fn paint_difference(text: &str) -> String {
    let paint = |line: &str| {
        let style = match line.as_bytes().first() {
            _ if line.starts_with("--- ") || line.starts_with("+++ ") => Style::new().bold(),
            Some(b'+') => AnsiColor::Green.on_default(),
            Some(b'-') => AnsiColor::Red.on_default(),
            Some(b'@') => AnsiColor::Cyan.on_default(),
            Some(_) | None => Style::new(),
        };
        let content = line.trim_end_matches('\n');
        format!("{style}{content}{style:#}{}", &line[content.len()..])
    };
    text.split_inclusive('\n').map(paint).collect()
}

/// How far the work is: a bar on a terminal; elsewhere, with `-v`, a line now and then.
pub(crate) struct Progress {
    bar: ProgressBar,
    what: &'static str,
    told: Mutex<Instant>,
}

/// Time between two lines.
const PAUSE: Duration = Duration::from_secs(2);

impl Progress {
    /// Of `total` pieces of work, named for the user.
    pub(crate) fn new(total: usize, what: &'static str) -> Progress {
        let target = if is_quiet() { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed} {msg}") {
            bar.set_style(style);
        }
        bar.set_message(what);
        Progress { bar, what, told: Mutex::new(Instant::now()) }
    }

    /// One more piece is done.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
        self.tell_now_and_then();
    }

    /// So many pieces are done, of so many that are known by now.
    pub(crate) fn set(&self, done: usize, all: usize) {
        self.bar.set_length(self.bar.length().unwrap_or(0).max(all as u64));
        self.bar.set_position(self.bar.position().max(done as u64));
        self.tell_now_and_then();
    }

    fn tell_now_and_then(&self) {
        if LEVEL.load(Ordering::Relaxed) < 1 || !self.bar.is_hidden() {
            return;
        }
        let Ok(mut told) = self.told.try_lock() else { return };
        if told.elapsed() >= PAUSE {
            *told = Instant::now();
            self.tell();
        }
    }

    /// All is done.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
        if LEVEL.load(Ordering::Relaxed) >= 1 && self.bar.is_hidden() {
            self.tell();
        }
    }

    fn tell(&self) {
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
        complain(&format!("info: {done} of {all} {}\n", self.what));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_begins_a_message_is_painted() {
        for painted in ["error: no\n", "a.py:1:2: error: no\n", "  | ^\n", "warning: x"] {
            assert_ne!(paint_message(painted), painted);
        }
        for plain in ["3 |     x = \"error: no\"\n", "  |     a ^ b\n", "it said error: no\n", ""] {
            assert_eq!(paint_message(plain), plain);
        }
        let stripped = anstream::adapter::strip_str(&paint_message("a.py:1:2: error: no\n")).to_string();
        assert_eq!(stripped, "a.py:1:2: error: no\n");
    }
}
