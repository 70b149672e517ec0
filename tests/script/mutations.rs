//! Truncated, mutated and random texts: errors or programs, never a panic.

use proptest::prelude::*;

use satir::script::{parse, parse_all};

/// Programs to spoil.
fn programs() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/script/programs");
    let entries = std::fs::read_dir(folder).expect("the folder is part of the repository");
    let mut paths: Vec<_> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    paths.iter().filter_map(|p| std::fs::read_to_string(p).ok()).collect()
}

/// Parses, and if that works prints and parses again; if not, the first mistake is one of all.
fn survives(text: &str) {
    match parse("mutated.py", text) {
        Ok(module) => {
            let printed = module.to_string();
            if let Ok(again) = parse("printed", &printed) {
                assert_eq!(again.to_string(), printed);
            }
            assert!(parse_all("mutated.py", text).is_ok_and(|all| all == module));
        }
        Err(first) => {
            let all = parse_all("mutated.py", text).expect_err("the mistake is one of all");
            assert!(all.contains(&first) && all.len() <= 20, "{first} is not among {all:?}");
            let places: Vec<_> = all.iter().map(|mistake| (mistake.line, mistake.column)).collect();
            assert!(places.is_sorted(), "{places:?}");
        }
    }
}

#[test]
fn truncated_programs() {
    for text in programs() {
        for end in (0..text.len()).step_by(37).filter(|&end| text.is_char_boundary(end)) {
            survives(&text[..end]);
        }
    }
}

/// Pieces that a mutation puts in.
const PIECES: [&str; 28] = [
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    "=",
    ".",
    "\"",
    "\n",
    "    ",
    "-1",
    "0",
    "T.int32",
    "T.",
    "n",
    "A",
    "for",
    "if",
    "T.Buffer((4,), \"int8\")",
    "T.float32(1)",
    " + ",
    " // 0",
    "9223372036854775808",
    "T.grid(",
    "None",
    "True",
    "lambda x: x",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_programs(which in 0usize..64, edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..PIECES.len(), 0usize..12), 1..4)) {
        let programs = programs();
        let mut text = programs[which % programs.len()].clone();
        for (at, piece, cut) in edits {
            let mut start = at.index(text.len());
            while !text.is_char_boundary(start) { start -= 1; }
            let mut end = (start + cut).min(text.len());
            while !text.is_char_boundary(end) { end += 1; }
            text.replace_range(start..end, PIECES[piece]);
        }
        survives(&text);
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        survives(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_pieces(pieces in prop::collection::vec(0usize..PIECES.len(), 0..40)) {
        let body: String = pieces.into_iter().map(|i| PIECES[i]).collect();
        survives(&super::function(&body));
    }
}
