//! What passes on padding answer to bad input: one line, and nothing is made.

use std::ops::ControlFlow;

use satir::cse::Options;
use satir::ir::Module;
use satir::passes;

/// The error that passes answer with.
#[track_caller]
fn error_of(names: &str, args: &str, module: &Module) -> String {
    let pipeline = passes::select(names).unwrap();
    let go_on = |_: &passes::Step, _: &Module| ControlFlow::Continue(());
    let args = passes::Args::parse(args).unwrap();
    let error = passes::run_with(module, &pipeline, &Options::default(), &args, go_on);
    error.expect_err("it is refused").to_string()
}

#[test]
fn edges_that_make_no_sense_are_refused() {
    let head =
        "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n";
    let text = |assumed: &str| {
        let one = "    @T.prim_func\n    def one(A: T.Buffer((16,), \"int32\"), C: T.Buffer((8,), \"int32\")):\n        T.func_attr({\"tirx.noalias\": True})\n        for i in range(14, 16):\n            A[i] = 0\n";
        let two = "    @T.prim_func\n    def two(A: T.Buffer((16,), \"int32\"), B: T.Buffer((1,), \"int32\")):\n        T.func_attr({\"tirx.noalias\": True})\n";
        let sum = "        B[0] = 0\n        for i in range(16):\n            if i < 14:\n                B[0] = B[0] + A[i]\n";
        satir::parse(&format!("{head}{one}\n{two}{assumed}{sum}")).unwrap()
    };
    let plain = text("");
    for (args, expected) in [
        (r#"null"#, "the key `edge`"),
        (r#"{"edge": "one.A"}"#, "is no edge"),
        (r#"{"edge": "three.A -> two.A"}"#, "there is no function `three`; there are `one`, `two`"),
        (r#"{"edge": "one.A -> two.X"}"#, "`two` has no parameter `X`; it has `A`, `B`"),
        (r#"{"edge": "one.C -> two.A"}"#, "differ in shape"),
    ] {
        let error = error_of("link", args, &plain);
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
    let edge = r#"{"edge": "one.A -> two.A"}"#;
    // The producer leaves 0 in the last two, and says nothing of the one before.
    let founded = "        for i in range(14, 16):\n            T.assume(A[i] == 0)\n";
    let error = error_of("link", edge, &text(&founded.replace("14", "13")));
    assert!(error.contains("nothing shows that `one` leaves in `A` what is assumed here"), "{error}");
    let error = error_of("link", edge, &text(&founded.replace("== 0", "== 1")));
    assert!(error.contains("nothing shows"), "{error}");
    let pipeline = passes::select("link,overcompute").unwrap();
    let go_on = |_: &passes::Step, _: &Module| ControlFlow::Continue(());
    let args = passes::Args::parse(edge).unwrap();
    for module in [text(founded), plain] {
        let made =
            passes::run_with(&module, &pipeline, &Options::default(), &args, go_on).unwrap().to_string();
        assert!(made.contains("T.assume(") && !made.contains("if "), "{made}");
    }
}

#[test]
fn bad_input_gets_one_line() {
    let program = |body: &str| {
        satir::parse(&format!("@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\"), n: T.int32):\n{body}"))
            .unwrap()
    };
    let plain = program("    for i in range(16):\n        A[i] = i\n");
    for (names, args, module, expected) in [
        ("transform-layout", "null", &plain, "the key `map`"),
        ("transform-layout", r#"{"map": "lambda i: [i]"}"#, &plain, "the key `buffer` is missing"),
        ("transform-layout", r#"{"buffer": "X", "map": "lambda i: [i]"}"#, &plain, "there is no buffer `X`"),
        (
            "transform-layout",
            r#"{"buffer": "A", "map": "lambda i: [i // 2]"}"#,
            &plain,
            "elements 0 and 1 of `A`",
        ),
        ("transform-layout", r#"{"buffer": "A", "map": "lambda i: [i * 1.5]"}"#, &plain, "gives a `float32`"),
        (
            "transform-layout",
            r#"{"buffer": "A", "map": "lambda i: [i * 1000000000]"}"#,
            &plain,
            "was not shown to fit the type `int32`",
        ),
        (
            "transform-layout",
            r#"{"buffer": "A", "map": "lambda i: [i // 5, i % 5]", "pad": "True"}"#,
            &plain,
            "is of type `bool`, but the elements are of `int32`",
        ),
        (
            "choose-padding",
            r#"{"buffer": "X", "map": "lambda i: [i]", "pad": "?"}"#,
            &plain,
            "there is no buffer `X`",
        ),
        ("choose-padding", r#"{"map": "lambda i: [i]", "pad": "?"}"#, &plain, "the key `buffer` is missing"),
        (
            "choose-padding",
            r#"{"buffer": "A", "map": "lambda i: [i // 2]", "pad": "?"}"#,
            &plain,
            "elements 0 and 1",
        ),
        ("cache-read", "null", &plain, "the key `read`"),
        ("sequential-access", "null", &plain, "the key `buffer`"),
        ("hoist", r#"{"conditionals": ["if"]}"#, &plain, "if-stmt, if-expr, bool"),
    ] {
        let error = error_of(names, args, module);
        assert!(error.contains(expected) && !error.contains('\n'), "{names} {args}: {error}");
    }
    assert!(passes::select("chose-padding").unwrap_err().to_string().contains("the passes are"));
    assert!(passes::Args::parse("[1]").is_err() && passes::Args::parse(r#"{"edges": "a"}"#).is_err());
}

#[test]
fn functions_ask_for_layouts_in_an_attribute() {
    let program = |attribute: &str| {
        satir::parse(&format!(
            "@T.prim_func\ndef main(A: T.Buffer((14,), \"int32\")):\n    T.func_attr({{\"satir.layout\": {attribute}}})\n    \
             for i in range(14):\n        A[i] = i\n"
        ))
        .unwrap()
    };
    let run = |names: &str, module: &Module| {
        let pipeline = passes::select(names).unwrap();
        let mut layouts = Vec::new();
        let result = passes::run_observed(module, &pipeline, &Options::default(), |step, _| {
            layouts.extend(step.layouts.clone());
            ControlFlow::Continue(())
        });
        result.map(|module| (module.to_string(), layouts))
    };
    let object = r#"{"buffer": "A", "map": "lambda i: [i // 4, i % 4]", "pad": "0"}"#;
    let quoted = format!("'{object}'");
    for attribute in [object, &format!("[{object}]"), &quoted] {
        let (text, layouts) = run("transform-layout", &program(attribute)).unwrap();
        assert!(text.contains("A[i // 4, i % 4] = i") && !text.contains("satir.layout"), "{text}");
        assert_eq!(layouts[0].padding, Some(vec![vec![(3, 1), (2, 2)]]));
    }
    // The value that is to be found is left to the pass that finds it.
    let asked = program(&format!("[{}]", object.replace(r#""0""#, r#""?""#)));
    assert!(run("transform-layout", &asked).unwrap_err().to_string().contains("the key `map`"));
    assert!(!run("choose-padding", &asked).unwrap().0.contains("satir.layout"));
    for (attribute, expected) in [
        ("3", "invalid type"),
        (r#"{"buffer": "A"}"#, "a layout has the keys `buffer` and `map`"),
        (r#"{"buffer": "A", "maps": "lambda i: [i]"}"#, "unknown field `maps`"),
        (r#"{"buffer": "C", "map": "lambda i: [i]"}"#, "`main` has no buffer `C`; it has `A`"),
        (r#""x""#, "expected value"),
    ] {
        let error = run("transform-layout", &program(attribute)).unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{attribute}: {error}");
    }
}

#[test]
fn functions_name_their_edges_in_an_attribute() {
    let one = "@I.ir_module\nclass Module:\n    @T.prim_func\n    def one(A: T.Buffer((4,), \"int32\")):\n        A[3] = 0\n\n";
    let two = |edges: &str| {
        satir::parse(&format!(
            "{one}    @T.prim_func\n    def two(A: T.Buffer((4,), \"int32\"), B: T.Buffer((1,), \"int32\")):\n        \
             T.func_attr({{\"tirx.noalias\": True, \"satir.edges\": {edges}}})\n        B[0] = 0\n        \
             for i in range(4):\n            if i < 3:\n                B[0] = B[0] + A[i]\n"
        ))
        .unwrap()
    };
    let pipeline = passes::select("link,overcompute").unwrap();
    let run = |module: &Module| passes::run(module, &pipeline, &Options::default());
    for edges in [r#""one.A=two.A""#, r#"["one.A=two.A"]"#] {
        let text = run(&two(edges)).unwrap().to_string();
        assert!(text.contains("T.assume(") && !text.contains("if "), "{text}");
    }
    let error = run(&two("[1]")).unwrap_err().to_string();
    assert!(error.contains("`satir.edges` of `two` is no string or list of strings"), "{error}");
}

#[test]
fn assumptions_that_are_false_where_they_stand_are_refused() {
    let program = |body: &str| {
        satir::parse(&format!("@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\"), n: T.int32):\n{body}"))
            .unwrap()
    };
    let refuted = program("    if n < 4:\n        T.assume(n > 8)\n        A[0] = n\n");
    for names in ["simplify", "overcompute,simplify", "semantic-cse"] {
        let error = error_of(names, "null", &refuted);
        assert_eq!(error, "the assumption is false here");
    }
    // Where control never comes there is no fault; where the assumption may hold neither.
    for body in [
        "    if n < 4:\n        if n > 6:\n            T.assume(n > 8)\n            A[0] = n\n",
        "    for i in range(n):\n        T.assume(n > 8)\n        A[i] = n\n",
        "    A[0] = 4\n    T.assume(A[0] > 8)\n    A[1] = n\n",
    ] {
        let result = passes::run(&program(body), &passes::select("simplify").unwrap(), &Options::default());
        assert!(result.is_ok(), "{body}{}", result.unwrap_err());
    }
}

/// A function over two buffers that are different memory.
fn function(body: &str) -> Module {
    satir::parse(&format!(
        "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\"), n: T.int32):\n    \
         T.func_attr({{\"tirx.noalias\": True}})\n{body}"
    ))
    .unwrap()
}

#[test]
fn maps_and_values_that_do_not_fit_are_refused() {
    let module = function("    for i in range(16):\n        A[i] = i\n");
    for (map, pad, expected) in [
        ("lambda i: [i // 2]", "", "elements 0 and 1 of `A` would both be at [0]"),
        ("lambda i: [i - 1]", "", "element 0 of `A` would be at [-1]"),
        ("lambda i, j: [i, j]", "", "has 2 parameters, but `A` has 1 dimensions"),
        ("lambda i: [i + m]", "", "undefined name `m`"),
        ("lambda i: [i // 3, i % 3]", "1.5", "is of type `float32`, but the elements are of `int32`"),
        ("lambda i: [i // 3, i % 3]", "lambda a, b: B[a]", "reads `B`; it may only read `A`"),
        ("lambda i: [i // 3, i % 3]", "lambda a, b: A[a, b]", "was not shown to read only elements of `A`"),
        ("lambda i: [i // 3, i % 3]", "lambda a: a", "has 1 parameters, but the new buffer has 2 dimensions"),
    ] {
        let pad = if pad.is_empty() { serde_json::Value::Null } else { pad.into() };
        let args = serde_json::json!({"buffer": "A", "map": map, "pad": pad}).to_string();
        let error = error_of("transform-layout", &args, &module);
        assert!(error.contains(expected) && !error.contains('\n'), "{map}: {error}");
    }
}

#[test]
fn what_fixes_a_layout_is_named() {
    let tiles = r#"{"buffer": "A", "map": "lambda i: [i // 4, i % 4]"}"#;
    for (body, expected) in [
        (
            "    T.evaluate(T.call_extern(\"int32\", \"f\", A.data))\n",
            "a pointer is made to the memory of `A`",
        ),
        (
            "    T.evaluate(T.call_extern(\"int32\", \"f\", T.address_of(A[0])))\n",
            "the address is taken of an element of `A`",
        ),
        (
            "    C = T.decl_buffer((4, 4), \"int32\", data=A.data)\n    C[0, 0] = 1\n",
            "`C` is a view of `A`, which fixes its layout",
        ),
    ] {
        let error = error_of("transform-layout", tiles, &function(body));
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
    let strided = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\", strides=(2,))):\n    A[0] = 1\n";
    let error = error_of("transform-layout", tiles, &satir::parse(strided).unwrap());
    assert!(error.contains("`A` has strides or an offset"), "{error}");
}

#[test]
fn statements_that_passes_cannot_deal_with_are_named() {
    for (names, args, body, expected) in [
        (
            "remove-undef",
            "null",
            "    for i in range(T.undef()):\n        A[i] = 1\n",
            "a bound of the loop depends on",
        ),
        ("remove-undef", "null", "    A[T.undef()] = 1\n", "an index depends on"),
        ("remove-undef", "null", "    if T.undef() > 3:\n        A[0] = 1\n", "a condition depends on"),
        (
            "sequential-access",
            r#"{"sequential": "A"}"#,
            "    for i in range(15):\n        A[i] = A[i + 1]\n",
            "the loops access both `A[i + 1]` and `A[i]`",
        ),
        (
            "sequential-access",
            r#"{"sequential": "A"}"#,
            "    for i in range(4):\n        A[i * i] = 1\n",
            "`A[i * i]` could not be solved",
        ),
        ("cache-read", r#"{"read": "X"}"#, "    A[0] = 1\n", "there is no buffer `X`; there are `A`, `B`"),
        ("cache-write", r#"{"write": "B"}"#, "    A[0] = 1\n", "nothing writes `B`"),
        (
            "cache-read",
            r#"{"read": "A"}"#,
            "    for i in range(14):\n        B[i] = A[i]\n",
            "would read elements of `A` that the function may not read",
        ),
    ] {
        let error = error_of(names, args, &function(body));
        assert!(error.contains(expected) && !error.contains('\n'), "{names}: {error}");
    }
}
