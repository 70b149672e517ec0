//! Statements.

use super::ast::{BinaryOp, FunctionNode, NodeId, ParamNode, StmtNode, StmtNodeKind};
use super::lexer::{Punct, Tok};
use super::{Parser, SpannedError, error};

/// The operator of an augmented assignment.
fn augmented(punct: Punct) -> Option<BinaryOp> {
    Some(match punct {
        Punct::PlusAssign => BinaryOp::Add,
        Punct::MinusAssign => BinaryOp::Sub,
        Punct::StarAssign => BinaryOp::Mul,
        Punct::SlashAssign => BinaryOp::Div,
        Punct::DoubleSlashAssign => BinaryOp::FloorDiv,
        Punct::PercentAssign => BinaryOp::Mod,
        Punct::ShlAssign => BinaryOp::Shl,
        Punct::ShrAssign => BinaryOp::Shr,
        Punct::AmpAssign => BinaryOp::BitAnd,
        Punct::PipeAssign => BinaryOp::BitOr,
        Punct::CaretAssign => BinaryOp::BitXor,
        _ => return None,
    })
}

impl<'s> Parser<'s, '_> {
    /// The statements of a file.
    pub(super) fn file(&mut self) -> Result<Vec<StmtNode<'s>>, SpannedError> {
        let mut out = Vec::new();
        while self.peek() != Tok::Eof {
            self.statement(&mut out)?;
        }
        Ok(out)
    }

    /// One line of statements, or one compound statement.
    fn statement(&mut self, out: &mut Vec<StmtNode<'s>>) -> Result<(), SpannedError> {
        let start = self.token().span.start;
        let outer = std::mem::replace(&mut self.statement_start, start);
        self.statement_at(out)?;
        self.statement_start = outer;
        Ok(())
    }

    fn statement_at(&mut self, out: &mut Vec<StmtNode<'s>>) -> Result<(), SpannedError> {
        let start = self.token();
        if start.tok == Tok::Indent {
            return self.unexpected("a statement");
        }
        if self.at(Punct::At) {
            return self.decorated(out);
        }
        let keyword = if start.tok == Tok::Name { self.text_of(start.span) } else { "" };
        let kind = match keyword {
            "for" => self.for_stmt()?,
            "while" => {
                self.bump();
                let cond = self.one_expr()?;
                StmtNodeKind::While { cond, body: self.block()? }
            }
            "if" => self.if_stmt()?,
            "with" => self.with_stmt()?,
            "def" => StmtNodeKind::Function(self.function(Vec::new())?),
            "class" => self.class()?,
            _ => return self.simple_line(out),
        };
        out.push(StmtNode { span: start.span, kind });
        Ok(())
    }

    fn simple_line(&mut self, out: &mut Vec<StmtNode<'s>>) -> Result<(), SpannedError> {
        loop {
            let start = self.token().span;
            let kind = self.simple()?;
            out.push(StmtNode { span: self.span_from(start), kind });
            if !self.eat(Punct::Semicolon) || self.peek() == Tok::Newline {
                break;
            }
        }
        if matches!(self.peek(), Tok::Newline) {
            self.bump();
            return Ok(());
        }
        self.unexpected("the end of the line")
    }

    fn simple(&mut self) -> Result<StmtNodeKind<'s>, SpannedError> {
        let token = self.token();
        let keyword = if token.tok == Tok::Name { self.text_of(token.span) } else { "" };
        match keyword {
            "break" | "continue" | "pass" => {
                self.bump();
                Ok(match keyword {
                    "break" => StmtNodeKind::Break,
                    "continue" => StmtNodeKind::Continue,
                    _ => StmtNodeKind::Pass,
                })
            }
            "return" => {
                self.bump();
                let bare = matches!(self.peek(), Tok::Newline | Tok::Punct(Punct::Semicolon));
                Ok(StmtNodeKind::Return(if bare { None } else { Some(self.expr_list()?) }))
            }
            "assert" => {
                self.bump();
                let cond = self.one_expr()?;
                let message = if self.eat(Punct::Comma) { Some(self.one_expr()?) } else { None };
                Ok(StmtNodeKind::Assert { cond, message })
            }
            "import" | "from" => {
                while !matches!(self.peek(), Tok::Newline | Tok::Eof | Tok::Error) {
                    self.bump();
                }
                Ok(StmtNodeKind::Import)
            }
            "del" | "raise" | "try" | "yield" | "global" | "nonlocal" | "async" | "await" => error(
                token.span,
                format!("expected a TVMScript statement, found `{keyword}`, which TVMScript does not have"),
            ),
            _ => self.assignment(),
        }
    }

    /// An assignment of any kind, or an expression.
    fn assignment(&mut self) -> Result<StmtNodeKind<'s>, SpannedError> {
        let target = self.expr_list()?;
        let Tok::Punct(punct) = self.peek() else { return Ok(StmtNodeKind::Expr(target)) };
        if punct == Punct::Assign {
            self.bump();
            let value = self.expr_list()?;
            if self.at(Punct::Assign) {
                return error(self.token().span, "expected one assignment, found a chain `a = b = c`");
            }
            return Ok(StmtNodeKind::Assign { target, value });
        }
        if punct == Punct::Colon {
            self.bump();
            let annotation = self.one_expr()?;
            let value = if self.eat(Punct::Assign) { Some(self.expr_list()?) } else { None };
            return Ok(StmtNodeKind::AnnAssign { target, annotation, value });
        }
        if let Some(op) = augmented(punct) {
            self.bump();
            return Ok(StmtNodeKind::AugAssign { target, op, value: self.expr_list()? });
        }
        Ok(StmtNodeKind::Expr(target))
    }

    fn for_stmt(&mut self) -> Result<StmtNodeKind<'s>, SpannedError> {
        self.bump();
        let target = self.target_list()?;
        self.expect_keyword("in")?;
        let iter = self.one_expr()?;
        Ok(StmtNodeKind::For { target, iter, body: self.block()? })
    }

    fn if_stmt(&mut self) -> Result<StmtNodeKind<'s>, SpannedError> {
        let mut arms = Vec::new();
        loop {
            self.bump();
            let cond = self.one_expr()?;
            arms.push((cond, self.block()?));
            if !self.at_keyword("elif") {
                break;
            }
        }
        let otherwise = if self.eat_keyword("else") { self.block()? } else { Vec::new() };
        Ok(StmtNodeKind::If { arms, otherwise })
    }

    fn with_stmt(&mut self) -> Result<StmtNodeKind<'s>, SpannedError> {
        self.bump();
        let mut items: Vec<(NodeId, Option<NodeId>)> = Vec::new();
        loop {
            let context = self.one_expr()?;
            let target = if self.eat_keyword("as") { Some(self.one_expr()?) } else { None };
            items.push((context, target));
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        Ok(StmtNodeKind::With { items, body: self.block()? })
    }

    /// `:` and an indented block, or simple statements on the same line.
    fn block(&mut self) -> Result<Vec<StmtNode<'s>>, SpannedError> {
        self.expect(Punct::Colon)?;
        let mut out = Vec::new();
        if self.peek() != Tok::Newline {
            self.simple_line(&mut out)?;
            return Ok(out);
        }
        self.bump();
        if self.peek() != Tok::Indent {
            return self.unexpected("an indented block");
        }
        self.enter()?;
        self.bump();
        while !matches!(self.peek(), Tok::Dedent | Tok::Eof) {
            self.statement(&mut out)?;
        }
        if self.peek() == Tok::Dedent {
            self.bump();
        }
        self.depth -= 1;
        Ok(out)
    }

    fn decorated(&mut self, out: &mut Vec<StmtNode<'s>>) -> Result<(), SpannedError> {
        let start = self.token().span;
        let mut decorators = Vec::new();
        while self.eat(Punct::At) {
            decorators.push(self.one_expr()?);
            if self.peek() != Tok::Newline {
                return self.unexpected("the end of the line");
            }
            self.bump();
        }
        let kind = if self.at_keyword("def") {
            StmtNodeKind::Function(self.function(decorators)?)
        } else if self.at_keyword("class") {
            self.class()?
        } else {
            return self.unexpected("`def` or `class` after a decorator");
        };
        out.push(StmtNode { span: start, kind });
        Ok(())
    }

    fn function(&mut self, decorators: Vec<NodeId>) -> Result<Box<FunctionNode<'s>>, SpannedError> {
        self.bump();
        let (name, name_span) = self.name("a function name")?;
        self.expect(Punct::LParen)?;
        let mut params = Vec::new();
        while !self.at(Punct::RParen) {
            let (name, span) = self.name("a parameter name")?;
            let annotation = if self.eat(Punct::Colon) { Some(self.one_expr()?) } else { None };
            params.push(ParamNode { name, span, annotation });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        if !self.at(Punct::RParen) {
            return self.unexpected("`,` or `)`");
        }
        self.bump();
        let returns = if self.eat(Punct::Arrow) { Some(self.one_expr()?) } else { None };
        let body = self.block()?;
        Ok(Box::new(FunctionNode { name, name_span, decorators, params, returns, body }))
    }

    fn class(&mut self) -> Result<StmtNodeKind<'s>, SpannedError> {
        self.bump();
        let (name, _) = self.name("a class name")?;
        if self.eat(Punct::LParen) {
            self.expect(Punct::RParen)?;
        }
        Ok(StmtNodeKind::Class { name, body: self.block()? })
    }
}
