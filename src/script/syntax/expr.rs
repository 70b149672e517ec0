//! Expressions, by precedence climbing with Python's precedences.

use hashbrown::HashSet;

use super::ast::{BinaryOp, NodeId, NodeKind, UnaryOp};
use super::lexer::{Punct, Tok};
use super::{Parser, SpannedError, error, literal};
use crate::diag::Span;

const LAMBDA: u8 = 1;
const CONDITIONAL: u8 = 2;
const OR: u8 = 3;
const AND: u8 = 4;
const NOT: u8 = 5;
const COMPARE: u8 = 6;
const UNARY: u8 = 13;
const POWER: u8 = 14;

/// How tightly a binary operator binds.
fn binary_op(tok: Tok) -> Option<(u8, BinaryOp)> {
    let Tok::Punct(punct) = tok else { return None };
    Some(match punct {
        Punct::Pipe => (7, BinaryOp::BitOr),
        Punct::Caret => (8, BinaryOp::BitXor),
        Punct::Amp => (9, BinaryOp::BitAnd),
        Punct::Shl => (10, BinaryOp::Shl),
        Punct::Shr => (10, BinaryOp::Shr),
        Punct::Plus => (11, BinaryOp::Add),
        Punct::Minus => (11, BinaryOp::Sub),
        Punct::Star => (12, BinaryOp::Mul),
        Punct::Slash => (12, BinaryOp::Div),
        Punct::DoubleSlash => (12, BinaryOp::FloorDiv),
        Punct::Percent => (12, BinaryOp::Mod),
        Punct::At => (12, BinaryOp::MatMul),
        Punct::DoubleStar => (POWER, BinaryOp::Pow),
        _ => return None,
    })
}

fn compare_op(tok: Tok) -> Option<BinaryOp> {
    let Tok::Punct(punct) = tok else { return None };
    Some(match punct {
        Punct::EqEq => BinaryOp::Eq,
        Punct::NotEq => BinaryOp::Ne,
        Punct::Lt => BinaryOp::Lt,
        Punct::Le => BinaryOp::Le,
        Punct::Gt => BinaryOp::Gt,
        Punct::Ge => BinaryOp::Ge,
        _ => return None,
    })
}

impl<'s> Parser<'s, '_> {
    /// One expression, or several with commas between them: a tuple.
    pub(super) fn expr_list(&mut self) -> Result<NodeId, SpannedError> {
        let start = self.token().span;
        let first = self.expr(LAMBDA)?;
        if !self.at(Punct::Comma) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat(Punct::Comma) {
            if !self.starts_expr() {
                break;
            }
            items.push(self.expr(LAMBDA)?);
        }
        let list = self.ast.add_list(&items);
        Ok(self.ast.add(self.span_from(start), NodeKind::Tuple(list)))
    }

    /// One expression.
    pub(super) fn one_expr(&mut self) -> Result<NodeId, SpannedError> {
        self.expr(LAMBDA)
    }

    /// A target of `for … in`: no comparison, so that `in` ends it.
    pub(super) fn target_list(&mut self) -> Result<NodeId, SpannedError> {
        let start = self.token().span;
        let first = self.expr(COMPARE + 1)?;
        if !self.at(Punct::Comma) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat(Punct::Comma) {
            if !self.starts_expr() {
                break;
            }
            items.push(self.expr(COMPARE + 1)?);
        }
        let list = self.ast.add_list(&items);
        Ok(self.ast.add(self.span_from(start), NodeKind::Tuple(list)))
    }

    fn starts_expr(&self) -> bool {
        match self.peek() {
            Tok::Name => !matches!(
                self.text_of(self.token().span),
                "in" | "as" | "if" | "else" | "and" | "or" | "is" | "for"
            ),
            Tok::Int | Tok::Float | Tok::Str => true,
            Tok::Punct(p) => matches!(
                p,
                Punct::LParen
                    | Punct::LBracket
                    | Punct::LBrace
                    | Punct::Plus
                    | Punct::Minus
                    | Punct::Tilde
                    | Punct::Star
            ),
            Tok::Newline | Tok::Indent | Tok::Dedent | Tok::Eof | Tok::Error => false,
        }
    }

    /// An expression whose operators bind at least as tightly as `min`.
    fn expr(&mut self, min: u8) -> Result<NodeId, SpannedError> {
        self.enter()?;
        let start = self.token().span;
        let mut lhs = self.prefix()?;
        loop {
            let tok = self.peek();
            if let Some((power, op)) = binary_op(tok) {
                if power < min {
                    break;
                }
                self.bump();
                let rhs = self.expr(if op == BinaryOp::Pow { UNARY } else { power + 1 })?;
                lhs = self.ast.add(self.span_from(start), NodeKind::Binary(op, lhs, rhs));
            } else if compare_op(tok).is_some() && min <= COMPARE {
                lhs = self.comparison(start, lhs)?;
            } else if tok == Tok::Name && min <= AND {
                let (power, op) = match self.text_of(self.token().span) {
                    "and" => (AND, BinaryOp::And),
                    "or" => (OR, BinaryOp::Or),
                    "if" if min <= CONDITIONAL => {
                        lhs = self.conditional(start, lhs)?;
                        continue;
                    }
                    _ => break,
                };
                if power < min {
                    break;
                }
                self.bump();
                let rhs = self.expr(power + 1)?;
                lhs = self.ast.add(self.span_from(start), NodeKind::Binary(op, lhs, rhs));
            } else {
                break;
            }
        }
        self.depth -= 1;
        Ok(lhs)
    }

    #[inline(never)]
    fn conditional(&mut self, start: Span, then: NodeId) -> Result<NodeId, SpannedError> {
        self.bump();
        let cond = self.expr(CONDITIONAL + 1)?;
        self.expect_keyword("else")?;
        let otherwise = self.expr(LAMBDA)?;
        Ok(self.ast.add(self.span_from(start), NodeKind::Conditional(cond, then, otherwise)))
    }

    #[inline(never)]
    fn comparison(&mut self, start: Span, lhs: NodeId) -> Result<NodeId, SpannedError> {
        let mut operands = vec![lhs];
        let mut operators = Vec::new();
        while let Some(op) = compare_op(self.peek()) {
            self.bump();
            operators.push(op);
            operands.push(self.expr(COMPARE + 1)?);
        }
        let span = self.span_from(start);
        if let ([a, b], [op]) = (&operands[..], &operators[..]) {
            return Ok(self.ast.add(span, NodeKind::Binary(*op, *a, *b)));
        }
        let first = self.ast.operators.len() as u32;
        self.ast.operators.extend(operators);
        let list = self.ast.add_list(&operands);
        Ok(self.ast.add(span, NodeKind::Compare(list, first)))
    }

    /// A unary operation, a lambda, or an atom with what follows it.
    fn prefix(&mut self) -> Result<NodeId, SpannedError> {
        let start = self.token().span;
        let (op, power) = match self.peek() {
            Tok::Punct(Punct::Minus) => (UnaryOp::Neg, UNARY),
            Tok::Punct(Punct::Plus) => (UnaryOp::Plus, UNARY),
            Tok::Punct(Punct::Tilde) => (UnaryOp::Invert, UNARY),
            Tok::Punct(Punct::Star) => {
                self.bump();
                self.expr(COMPARE + 1)?;
                return Ok(self.ast.add(self.span_from(start), NodeKind::Starred));
            }
            Tok::Name => match self.text_of(start) {
                "not" => (UnaryOp::Not, NOT),
                "lambda" => return self.lambda(),
                _ => return self.postfix(),
            },
            _ => return self.postfix(),
        };
        self.bump();
        let operand = self.expr(power)?;
        Ok(self.ast.add(self.span_from(start), NodeKind::Unary(op, operand)))
    }

    #[inline(never)]
    fn lambda(&mut self) -> Result<NodeId, SpannedError> {
        let start = self.bump().span;
        let first = self.ast.names.len() as u32;
        let mut names = Vec::new();
        while !self.at(Punct::Colon) {
            names.push(self.name("a parameter name")?.0);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::Colon)?;
        let count = names.len() as u32;
        self.ast.names.extend(names);
        let body = self.expr(LAMBDA)?;
        Ok(self.ast.add(self.span_from(start), NodeKind::Lambda(first, count, body)))
    }

    /// An atom followed by `.name`, `(…)` and `[…]`.
    fn postfix(&mut self) -> Result<NodeId, SpannedError> {
        let start = self.token().span;
        let mut value = self.atom()?;
        loop {
            value = match self.peek() {
                Tok::Punct(Punct::Dot) => {
                    self.bump();
                    let token = self.token();
                    if token.tok != Tok::Name {
                        return self.unexpected("a name after `.`");
                    }
                    self.bump();
                    let name = self.text_of(token.span);
                    self.ast.add(self.span_from(start), NodeKind::Attr(value, name))
                }
                Tok::Punct(Punct::LParen) => self.call(start, value)?,
                Tok::Punct(Punct::LBracket) => self.subscript(start, value)?,
                _ => return Ok(value),
            };
        }
    }

    #[inline(never)]
    fn call(&mut self, start: Span, callee: NodeId) -> Result<NodeId, SpannedError> {
        self.bump();
        let mut args = Vec::new();
        let mut names = Vec::new();
        let mut seen = HashSet::new();
        while !self.at(Punct::RParen) {
            let keyword = self.peek() == Tok::Name
                && self.peek_at(1).is_some_and(|t| t.tok == Tok::Punct(Punct::Assign));
            if keyword {
                let (name, span) = self.name("an argument name")?;
                if !seen.insert(name) {
                    return error(span, format!("argument `{name}` is given twice"));
                }
                self.bump();
                names.push(name);
            } else if !names.is_empty() {
                return self.unexpected("a keyword argument after a keyword argument");
            }
            args.push(self.expr(LAMBDA)?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        if !self.at(Punct::RParen) {
            return self.unexpected("`,` or `)`");
        }
        self.bump();
        let keywords = (self.ast.names.len() as u32, names.len() as u32);
        self.ast.names.extend(names);
        let args = self.ast.add_list(&args);
        Ok(self.ast.add(self.span_from(start), NodeKind::Call { callee, args, keywords }))
    }

    #[inline(never)]
    fn subscript(&mut self, start: Span, value: NodeId) -> Result<NodeId, SpannedError> {
        self.bump();
        let mut items = Vec::new();
        while !self.at(Punct::RBracket) {
            items.push(self.subscript_item()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        if !self.at(Punct::RBracket) {
            return self.unexpected("`,` or `]`");
        }
        let close = self.bump();
        if items.is_empty() {
            return error(close.span, "expected an index, found `]`");
        }
        let list = self.ast.add_list(&items);
        Ok(self.ast.add(self.span_from(start), NodeKind::Subscript(value, list)))
    }

    fn subscript_item(&mut self) -> Result<NodeId, SpannedError> {
        let start = self.token().span;
        let part = |p: &mut Self| {
            if matches!(p.peek(), Tok::Punct(Punct::Colon | Punct::Comma | Punct::RBracket)) {
                return Ok(None);
            }
            p.expr(LAMBDA).map(Some)
        };
        let first = part(self)?;
        if !self.eat(Punct::Colon) {
            return match first {
                Some(index) => Ok(index),
                None => self.unexpected("an index"),
            };
        }
        let stop = part(self)?;
        let step = if self.eat(Punct::Colon) { part(self)? } else { None };
        Ok(self.ast.add(self.span_from(start), NodeKind::Slice(first, stop, step)))
    }

    fn atom(&mut self) -> Result<NodeId, SpannedError> {
        let token = self.token();
        let kind = match token.tok {
            Tok::Name => match self.text_of(token.span) {
                "True" => NodeKind::Bool(true),
                "False" => NodeKind::Bool(false),
                "None" => NodeKind::None,
                _ => NodeKind::Name(self.name("an expression")?.0),
            },
            Tok::Int => NodeKind::Int(literal::int(self.text_of(token.span), token.span)?),
            Tok::Float => NodeKind::Float(literal::float(self.text_of(token.span), token.span)?),
            Tok::Str => return self.strings(),
            Tok::Punct(Punct::LParen) => return self.parenthesized(),
            Tok::Punct(Punct::LBracket) => return self.bracketed(),
            Tok::Punct(Punct::LBrace) => return self.dict(),
            _ => return self.unexpected("an expression"),
        };
        if !matches!(kind, NodeKind::Name(_)) {
            self.bump();
        }
        Ok(self.ast.add(token.span, kind))
    }

    /// String literals side by side are one string.
    #[inline(never)]
    fn strings(&mut self) -> Result<NodeId, SpannedError> {
        let start = self.token().span;
        let mut value = String::new();
        while self.peek() == Tok::Str {
            let token = self.bump();
            literal::string(self.text_of(token.span), token.span, &mut value)?;
        }
        let index = self.ast.add_string(value.into());
        Ok(self.ast.add(self.span_from(start), NodeKind::Str(index)))
    }

    #[inline(never)]
    fn parenthesized(&mut self) -> Result<NodeId, SpannedError> {
        let start = self.bump().span;
        let (items, comma) = self.items(Punct::RParen)?;
        match (&items[..], comma) {
            (&[item], false) => Ok(item),
            _ => {
                let list = self.ast.add_list(&items);
                Ok(self.ast.add(self.span_from(start), NodeKind::Tuple(list)))
            }
        }
    }

    #[inline(never)]
    fn bracketed(&mut self) -> Result<NodeId, SpannedError> {
        let start = self.bump().span;
        let (items, _) = self.items(Punct::RBracket)?;
        let list = self.ast.add_list(&items);
        Ok(self.ast.add(self.span_from(start), NodeKind::List(list)))
    }

    /// Expressions up to the closing bracket, and whether a comma came after one.
    fn items(&mut self, close: Punct) -> Result<(Vec<NodeId>, bool), SpannedError> {
        let mut items = Vec::new();
        let mut comma = false;
        while !self.at(close) {
            items.push(self.expr(LAMBDA)?);
            if !self.eat(Punct::Comma) {
                break;
            }
            comma = true;
        }
        if !self.at(close) {
            return self.unexpected(&format!("`,` or `{}`", close.text()));
        }
        self.bump();
        Ok((items, comma))
    }

    #[inline(never)]
    fn dict(&mut self) -> Result<NodeId, SpannedError> {
        let start = self.bump().span;
        let mut items = Vec::new();
        while !self.at(Punct::RBrace) {
            items.push(self.expr(LAMBDA)?);
            self.expect(Punct::Colon)?;
            items.push(self.expr(LAMBDA)?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        if !self.at(Punct::RBrace) {
            return self.unexpected("`,` or `}`");
        }
        self.bump();
        let list = self.ast.add_list(&items);
        Ok(self.ast.add(self.span_from(start), NodeKind::Dict(list)))
    }
}
