//! Text to syntax tree: lexer and parser for the part of Python in which TVMScript is written.

pub(crate) mod ast;
mod expr;
mod lexer;
mod literal;
mod stmt;

use self::ast::{Ast, NodeId, StmtNode};
use self::lexer::{Punct, Tok, Token};
pub(crate) use self::lexer::{Tokens, lex, lex_expr};
use crate::diag::Span;
use crate::ir::MAX_DEPTH;

/// A message and its place; boxed, so that results stay small.
pub(crate) type SpannedError = Box<(Span, String)>;

/// Makes an error.
pub(crate) fn error<T>(span: Span, message: impl Into<String>) -> Result<T, SpannedError> {
    Err(Box::new((span, message.into())))
}

/// Parses a whole source file from its tokens. An error comes with the place where the statement with it begins.
pub(crate) fn parse_file<'s>(
    text: &'s str,
    tokens: Tokens,
    ast: &mut Ast<'s>,
) -> Result<Vec<StmtNode<'s>>, (SpannedError, u32)> {
    let mut parser = Parser::new(text, tokens, ast);
    parser.file().map_err(|error| (error, parser.statement_start))
}

/// Parses a text that is one expression from its tokens.
pub(crate) fn parse_text<'s>(
    text: &'s str,
    tokens: Tokens,
    ast: &mut Ast<'s>,
) -> Result<NodeId, SpannedError> {
    let mut parser = Parser::new(text, tokens, ast);
    let node = parser.expr_list()?;
    if parser.peek() != Tok::Eof {
        return parser.unexpected("the end of the expression");
    }
    Ok(node)
}

/// Parses the expression that stands at `span` of `text`, such as the inside of a string.
pub(crate) fn parse_inner<'s>(text: &'s str, span: Span, ast: &mut Ast<'s>) -> Result<NodeId, SpannedError> {
    let tokens = lex_expr(text, span.start as usize, span.end as usize);
    let too_deep = || error(span, format!("nested deeper than {SHALLOW} levels in a string"));
    if tokens.depth > SHALLOW {
        return too_deep();
    }
    let node = parse_text(text, tokens, ast)?;
    if ast.height_of(node) > SHALLOW { too_deep() } else { Ok(node) }
}

/// Expressions up to this height are handled on the caller's stack, deeper ones on a larger stack.
pub(crate) const SHALLOW: u32 = 150;

/// Python's keywords: no names.
pub(crate) const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// The parser: a cursor over the tokens.
struct Parser<'s, 'a> {
    text: &'s str,
    tokens: Vec<Token>,
    lex_error: String,
    pos: usize,
    depth: usize,
    limit: usize,
    /// Where the innermost statement begins.
    statement_start: u32,
    ast: &'a mut Ast<'s>,
}

impl<'s, 'a> Parser<'s, 'a> {
    fn new(text: &'s str, tokens: Tokens, ast: &'a mut Ast<'s>) -> Self {
        let limit = if tokens.depth > SHALLOW { 4 * MAX_DEPTH } else { MAX_DEPTH };
        Parser {
            text,
            tokens: tokens.tokens,
            lex_error: tokens.error,
            pos: 0,
            depth: 0,
            limit,
            statement_start: 0,
            ast,
        }
    }

    fn token(&self) -> Token {
        self.tokens[self.pos]
    }

    fn peek(&self) -> Tok {
        self.token().tok
    }

    fn peek_at(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.pos + ahead).copied()
    }

    fn text_of(&self, span: Span) -> &'s str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Takes the current token; the last one is never passed.
    fn bump(&mut self) -> Token {
        let token = self.token();
        if self.pos + 1 < self.tokens.len() {
            self.pos += 1;
        }
        token
    }

    fn at(&self, punct: Punct) -> bool {
        self.peek() == Tok::Punct(punct)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, punct: Punct) -> Result<Token, SpannedError> {
        if self.at(punct) { Ok(self.bump()) } else { self.unexpected(&format!("`{}`", punct.text())) }
    }

    fn at_keyword(&self, keyword: &str) -> bool {
        self.peek() == Tok::Name && self.text_of(self.token().span) == keyword
    }

    fn eat_keyword(&mut self, keyword: &str) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.bump();
        }
        found
    }

    fn expect_keyword(&mut self, keyword: &str) -> Result<(), SpannedError> {
        if self.eat_keyword(keyword) { Ok(()) } else { self.unexpected(&format!("`{keyword}`")) }
    }

    /// A name that is no keyword.
    fn name(&mut self, what: &str) -> Result<(&'s str, Span), SpannedError> {
        let token = self.token();
        let text = self.text_of(token.span);
        if token.tok != Tok::Name || KEYWORDS.contains(&text) {
            return self.unexpected(what);
        }
        self.bump();
        Ok((text, token.span))
    }

    /// The error that the current token is not what was expected.
    fn unexpected<T>(&self, expected: &str) -> Result<T, SpannedError> {
        let token = self.token();
        if token.tok == Tok::Error {
            return error(token.span, self.lex_error.clone());
        }
        error(token.span, format!("expected {expected}, found {}", self.describe(token)))
    }

    fn describe(&self, token: Token) -> String {
        match token.tok {
            Tok::Newline => "the end of the line".to_owned(),
            Tok::Indent => "more indentation".to_owned(),
            Tok::Dedent => "the end of the block".to_owned(),
            Tok::Eof => "the end of the text".to_owned(),
            Tok::Error => self.lex_error.clone(),
            Tok::Name | Tok::Int | Tok::Float | Tok::Str | Tok::Punct(_) => {
                let text: String = self.text_of(token.span).chars().take(40).collect();
                format!("`{}`", text.escape_debug())
            }
        }
    }

    /// Goes one level deeper.
    ///
    /// An operator whose operand is in parentheses takes two levels here and one in the program, so the parser
    /// goes deeper than the program may be, provided that it runs where there is room: that depends on brackets.
    fn enter(&mut self) -> Result<(), SpannedError> {
        self.depth += 1;
        if self.depth > self.limit {
            return error(self.token().span, format!("nested deeper than {MAX_DEPTH} levels"));
        }
        Ok(())
    }

    /// The place from `start` to the last token taken.
    fn span_from(&self, start: Span) -> Span {
        let end = self.pos.checked_sub(1).map_or(start.end, |last| self.tokens[last].span.end);
        Span { start: start.start, end: end.max(start.end) }
    }
}
