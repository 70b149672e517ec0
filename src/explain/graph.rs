//! The e-graph of an expression, to be looked at and to be read by other programs.

use hashbrown::HashMap;
use serde_json::{Map, Value, json};

use super::{Context, NODES};
use crate::analysis::known::Known;
use crate::cost::{Profile, cost_of_expr};
use crate::egraph::{self, Knowing, Node, Op};
use crate::encode::{Lowered, lower_at};
use crate::eqsat::{self, Config, Failure};
use crate::ir::{Call, Expr, ExprKind, PrimFunc};
use crate::rewrite::Rewrites;
use crate::script::print_expr;

/// An e-graph with the names that people know.
///
/// ```
/// use satir::cost::Profile;
/// use satir::explain::{Context, View};
/// use satir::rules::RuleSet;
/// use satir::script::parse_expr;
///
/// let mut b = satir::ir::build::FuncBuilder::new("main");
/// b.param("x", satir::ir::DType::I32);
/// let mut func = b.finish();
/// let e = parse_expr("x * 4 // 4 + x", &mut func)?;
/// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
/// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
/// let view = View::new(&context, &e);
/// assert!(view.to_svg().starts_with("<svg"));
/// assert!(view.to_dot().starts_with("digraph"));
/// // The root's class is named in the format of the crate egraph-serialize.
/// let json = view.to_json();
/// assert_eq!(json["root_eclasses"][0], "c0");
/// assert!(json["nodes"].as_object().expect("nodes by name").len() > 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct View {
    /// All classes that the expression can reach, its own first.
    pub(crate) classes: Vec<ViewClass>,
    /// Their nodes, class by class.
    pub(crate) nodes: Vec<ViewNode>,
    /// The classes that are wanted: that of the expression, or those of all expressions of a function.
    pub(crate) roots: Vec<usize>,
    /// How many more classes there are, with which the picture would be too large.
    pub(crate) left_out: usize,
}

/// A class: expressions that are equal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ViewClass {
    /// The type.
    pub dtype: String,
    /// Where the value lies, if that is known.
    pub range: Option<String>,
    /// Its nodes, as positions in [`View::nodes`].
    pub nodes: Vec<usize>,
}

/// A node: an operator on classes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ViewNode {
    /// The operator, variable or constant.
    pub label: String,
    /// The class that it is in.
    pub class: usize,
    /// The classes of its operands.
    pub operands: Vec<usize>,
    /// Its own cost, without the operands'.
    pub cost: f64,
    /// Whether it is part of the cheapest form.
    pub chosen: bool,
}

impl View {
    /// The saturated e-graph of an expression at the context's place.
    ///
    /// ```
    /// use satir::cost::Profile;
    /// use satir::explain::{Context, View};
    /// use satir::rules::RuleSet;
    /// use satir::script::parse_expr;
    ///
    /// let mut b = satir::ir::build::FuncBuilder::new("main");
    /// b.param("x", satir::ir::DType::I32);
    /// let mut func = b.finish();
    /// let e = parse_expr("x * 4 // 4", &mut func)?;
    /// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
    /// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
    /// assert_ne!(View::new(&context, &e), View::new(&context, &parse_expr("7", &mut func.clone())?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(context: &Context<'_>, e: &Expr) -> View {
        let rewrites = Rewrites::new(context.rules);
        let rewrites = rewrites.with_fast_math(context.fast_math);
        let ranges = context.ranges.to_vec();
        let best = crate::simplify::expression(
            context.func,
            context.profile,
            rewrites,
            ranges.clone(),
            context.conds,
            e,
        );
        let facts = context.conds.iter().map(|cond| (cond.clone(), true)).collect();
        let known = Known { ranges: ranges.into(), facts, ..Known::default() };
        let mut lowered = lower_at(context.func, context.profile, &known, &[e, &best], rewrites.theory());
        eqsat::saturate(&mut lowered, rewrites, NODES);
        let Some(site) = lowered.sites.iter().rev().nth(1) else {
            return View::empty();
        };
        let mut builder = Builder::new(context.func, context.profile, &lowered);
        builder.mark(site.class, &best);
        builder.collect(&[site.class], usize::MAX);
        builder.view
    }

    /// The e-graph of a function as it is when what is cheapest has been chosen. Where there are very many classes those
    /// furthest from the expressions of the function are left out.
    ///
    /// # Errors
    ///
    /// As [`optimize`](crate::eqsat::optimize).
    ///
    /// ```
    /// use satir::cse::Options;
    /// use satir::explain::View;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x] = x * 4 // 4\n")?;
    /// let view = View::of_function(&module.funcs[0], &Options::default().search())?;
    /// assert!(view.to_svg().contains(">floordiv<"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_function(func: &PrimFunc, config: &Config<'_>) -> Result<View, Failure> {
        eqsat::with_choice(func, config, |lowered, selection| {
            let mut builder = Builder::new(func, config.profile, lowered);
            for chosen in &selection.chosen {
                let node = egraph::canonical(&lowered.graph, chosen.node.clone());
                if let Some(class) = lowered.graph.lookup(node.clone()) {
                    builder.chosen.push((class, node));
                }
            }
            let mut roots: Vec<egg::Id> = Vec::new();
            for site in &lowered.sites {
                let class = lowered.graph.find(site.class);
                if !roots.contains(&class) {
                    roots.push(class);
                }
            }
            builder.collect(&roots, MAX_CLASSES);
            builder.view
        })
    }

    fn empty() -> View {
        View { classes: Vec::new(), nodes: Vec::new(), roots: Vec::new(), left_out: 0 }
    }

    /// In the format of the crate `egraph-serialize`, which extraction-gym and egraph-visualizer read.
    ///
    /// ```
    /// use satir::cost::Profile;
    /// use satir::explain::{Context, View};
    /// use satir::rules::RuleSet;
    /// use satir::script::parse_expr;
    ///
    /// let mut b = satir::ir::build::FuncBuilder::new("main");
    /// b.param("x", satir::ir::DType::I32);
    /// let mut func = b.finish();
    /// let e = parse_expr("x * 4 // 4", &mut func)?;
    /// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
    /// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
    /// let json = View::new(&context, &e).to_json();
    /// let ops: Vec<_> = json["nodes"].as_object().expect("nodes").values().map(|node| &node["op"]).collect();
    /// assert!(ops.iter().any(|op| **op == "x"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_json(&self) -> Value {
        let id = |node: usize| format!("n{node}");
        let class = |class: usize| format!("c{class}");
        let mut nodes = Map::new();
        for (i, node) in self.nodes.iter().enumerate() {
            // A child is named by any node of its class.
            let child = |c: &usize| self.classes[*c].nodes.first().copied().map(id);
            let children: Vec<String> = node.operands.iter().filter_map(child).collect();
            let data = json!({
                "op": node.label,
                "children": children,
                "eclass": class(node.class),
                "cost": node.cost,
                "subsumed": false,
            });
            nodes.insert(id(i), data);
        }
        let roots: Vec<String> = self.roots.iter().copied().map(class).collect();
        let types = self.classes.iter().enumerate().map(|(i, c)| (class(i), json!({ "type": c.dtype })));
        json!({ "nodes": nodes, "root_eclasses": roots, "class_data": types.collect::<Map<_, _>>() })
    }

    /// In the language of Graphviz: a box for each class, the nodes of the cheapest form filled.
    ///
    /// ```
    /// use satir::cost::Profile;
    /// use satir::explain::{Context, View};
    /// use satir::rules::RuleSet;
    /// use satir::script::parse_expr;
    ///
    /// let mut b = satir::ir::build::FuncBuilder::new("main");
    /// b.param("x", satir::ir::DType::I32);
    /// let mut func = b.finish();
    /// let e = parse_expr("x * 4 // 4", &mut func)?;
    /// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
    /// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
    /// let dot = View::new(&context, &e).to_dot();
    /// assert!(dot.contains("fillcolor=lightblue"), "the cheapest form is marked");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_dot(&self) -> String {
        let mut out = "digraph egraph {\n  compound=true; rankdir=TB;\n  node [shape=box, style=rounded, fontname=monospace];\n".to_owned();
        for (i, class) in self.classes.iter().enumerate() {
            let label = class.title();
            out += &format!(
                "  subgraph cluster_{i} {{\n    label={label:?}; style=dashed; fontname=monospace;\n"
            );
            for &n in &class.nodes {
                let style =
                    if self.nodes[n].chosen { ", style=\"rounded,filled\", fillcolor=lightblue" } else { "" };
                out += &format!("    n{n} [label={:?}{style}];\n", self.nodes[n].label);
            }
            out += "  }\n";
        }
        for (i, node) in self.nodes.iter().enumerate() {
            for (k, &class) in node.operands.iter().enumerate() {
                let Some(first) = self.classes[class].nodes.first() else { continue };
                let label = if node.operands.len() > 1 { format!(", label=\"{k}\"") } else { String::new() };
                let bold = if node.chosen { ", penwidth=2" } else { "" };
                out += &format!("  n{i} -> n{first} [lhead=cluster_{class}{label}{bold}];\n");
            }
        }
        out + "}\n"
    }
}

impl ViewClass {
    /// Type and range.
    pub(crate) fn title(&self) -> String {
        match &self.range {
            Some(range) => format!("{} {range}", self.dtype),
            None => self.dtype.clone(),
        }
    }
}

/// The most classes in the picture of a function.
const MAX_CLASSES: usize = 300;

struct Builder<'a> {
    func: &'a PrimFunc,
    profile: &'a Profile,
    lowered: &'a Lowered,
    /// The number of each class that was visited.
    numbers: HashMap<egg::Id, usize>,
    view: View,
    chosen: Vec<(egg::Id, Node)>,
}

impl<'a> Builder<'a> {
    fn new(func: &'a PrimFunc, profile: &'a Profile, lowered: &'a Lowered) -> Builder<'a> {
        let (numbers, chosen) = (HashMap::new(), Vec::new());
        Builder { func, profile, lowered, numbers, view: View::empty(), chosen }
    }

    /// Marks the nodes of an expression that the class holds; whether it does.
    fn mark(&mut self, class: egg::Id, e: &Expr) -> bool {
        let graph = &self.lowered.graph;
        let class = graph.find(class);
        let mut operands = Vec::new();
        e.for_each_child(|c| operands.push(c.clone()));
        for node in &graph[class].nodes {
            if node.children.len() != operands.len() || self.shallow(node, &operands).as_ref() != Some(e) {
                continue;
            }
            let marked = self.chosen.len();
            if node.children.iter().zip(&operands).all(|(&c, operand)| self.mark(c, operand)) {
                self.chosen.push((class, node.clone()));
                return true;
            }
            self.chosen.truncate(marked);
        }
        false
    }

    /// Enters the classes and everything below them, breadth first, up to so many.
    fn collect(&mut self, roots: &[egg::Id], most: usize) {
        let graph = &self.lowered.graph;
        let mut order: Vec<egg::Id> = roots.iter().map(|&root| graph.find(root)).collect();
        self.numbers.extend(order.iter().enumerate().map(|(number, &id)| (id, number)));
        let mut at = 0;
        while let Some(&id) = order.get(at) {
            at += 1;
            for &child in graph[id].nodes.iter().flat_map(|n| &n.children) {
                let child = graph.find(child);
                if !self.numbers.contains_key(&child) {
                    self.numbers.insert(child, order.len());
                    order.push(child);
                }
            }
        }
        self.view.left_out = order.len().saturating_sub(most);
        order.truncate(most);
        self.view.roots = (0..roots.len().min(order.len())).collect();
        let shown = |node: &&Node| node.children.iter().all(|&c| self.numbers[&graph.find(c)] < order.len());
        for (number, &id) in order.iter().enumerate() {
            let class = &graph[id];
            let mut nodes: Vec<&Node> = class.nodes.iter().filter(shown).collect();
            nodes.sort();
            let first = self.view.nodes.len();
            for node in nodes {
                let operands = node.children.iter().map(|&c| self.numbers[&graph.find(c)]).collect();
                let chosen = self.chosen.iter().any(|(c, n)| graph.find(*c) == id && n == node);
                let (label, cost) = (self.label(node), self.cost(node));
                self.view.nodes.push(ViewNode { label, class: number, operands, cost, chosen });
            }
            let interval = graph.facts(class.id).interval;
            let range = match (interval.lo(), interval.hi()) {
                (None, None) => None,
                (lo, hi) => {
                    let end = |v: Option<i64>| v.map_or_else(String::new, |v| v.to_string());
                    Some(format!("[{} … {}]", end(lo), end(hi)))
                }
            };
            let nodes = (first..self.view.nodes.len()).collect();
            self.view.classes.push(ViewClass {
                dtype: graph.facts(class.id).dtype.to_string(),
                range,
                nodes,
            });
        }
    }

    /// The node as an expression of these operands; `None` for what is no single operation.
    fn shallow(&self, node: &Node, operands: &[Expr]) -> Option<Expr> {
        let boxed = |i: usize| operands.get(i).cloned().map(Box::new);
        let kind = match &node.op {
            Op::Int(v) => ExprKind::Int(v.get()),
            Op::Float(bits) => ExprKind::Float(bits.get()),
            Op::Var(var) => ExprKind::Var(*var),
            Op::Bin(op) => ExprKind::Binary(*op, boxed(0)?, boxed(1)?),
            Op::Not => ExprKind::Not(boxed(0)?),
            Op::Cast => ExprKind::Cast(boxed(0)?),
            Op::Select => {
                let [cond, then, otherwise] = operands else { return None };
                Expr::select(cond.clone(), then.clone(), otherwise.clone()).kind
            }
            Op::IfThenElse => return Some(Expr::call(node.dtype, "if_then_else", operands.to_vec())),
            Op::Likely => return Some(Expr::call(node.dtype, "likely", operands.to_vec())),
            Op::Load(buffer, _) => ExprKind::Load { buffer: *buffer, indices: operands.into() },
            Op::Ramp => ExprKind::Ramp(boxed(0)?, boxed(1)?),
            Op::Broadcast => ExprKind::Broadcast(boxed(0)?),
            Op::Call(callee) => {
                let head = self.lowered.callees.get(*callee);
                ExprKind::Call(Box::new(Call { args: operands.to_vec(), ..head.clone() }))
            }
            Op::Template(_) | Op::Lanes | Op::Lane(_) | Op::LaneOf => return None,
        };
        Some(Expr { kind, dtype: node.dtype })
    }

    fn label(&self, node: &Node) -> String {
        let func = self.func;
        match &node.op {
            Op::Bin(op) => op.name().to_owned(),
            Op::Not => "not".to_owned(),
            Op::Cast => format!("cast {}", node.dtype),
            Op::Select => "select".to_owned(),
            Op::IfThenElse => "if_then_else".to_owned(),
            Op::Likely => "likely".to_owned(),
            Op::Load(buffer, version) => format!("{}[] v{version}", func.buffer(*buffer).name),
            Op::Ramp => format!("ramp {}", node.dtype.lanes),
            Op::Broadcast => format!("broadcast {}", node.dtype.lanes),
            Op::Call(callee) => self.lowered.callees.name(*callee).unwrap_or("call").to_owned(),
            Op::Template(_) => "opaque".to_owned(),
            Op::Lanes => format!("lanes {}", node.dtype.lanes),
            Op::Lane(lanes) => format!("lane of {lanes}"),
            Op::LaneOf => "in lane".to_owned(),
            Op::Int(_) | Op::Float(_) | Op::Var(_) => {
                self.shallow(node, &[]).map_or_else(String::new, |e| print_expr(func, &e))
            }
        }
    }

    /// The node's cost with variables or constants as operands.
    fn cost(&self, node: &Node) -> f64 {
        let graph = &self.lowered.graph;
        let operand = |c: &egg::Id| {
            let class = &graph[graph.find(*c)];
            let constant = class.nodes.iter().find(|n| matches!(n.op, Op::Int(_)));
            match constant.and_then(|n| self.shallow(n, &[])) {
                Some(constant) => constant,
                None => Expr { kind: ExprKind::Var(crate::ir::VarId(0)), dtype: graph.facts(class.id).dtype },
            }
        };
        let operands: Vec<Expr> = node.children.iter().map(operand).collect();
        self.shallow(node, &operands).map_or(1.0, |e| cost_of_expr(self.profile, &e).to_f64())
    }
}
