//! Text to tokens: Python's lexical rules as far as TVMScript uses them, with INDENT and DEDENT.
//!
//! All tokens are made at once. A lexical error becomes an [`Tok::Error`] token, so that it is reported only when
//! the parser gets there, after errors that come earlier in the text.

use crate::diag::Span;

/// Kinds of token. Names, numbers and strings are read from the source by their span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tok {
    Name,
    Int,
    Float,
    Str,
    Newline,
    Indent,
    Dedent,
    Eof,
    /// A lexical error; the message is in [`Tokens::error`].
    Error,
    /// Punctuation; the text is in [`PUNCTUATION`].
    Punct(Punct),
}

macro_rules! punctuation {
    ($($name:ident $text:literal),* $(,)?) => {
        /// Operators and delimiters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Punct { $($name),* }

        /// Each one with its text; longer ones come before their prefixes.
        const PUNCTUATION: &[(&str, Punct)] = &[$(($text, Punct::$name)),*];

        impl Punct {
            /// The text.
            pub(crate) const fn text(self) -> &'static str {
                match self { $(Punct::$name => $text),* }
            }
        }
    };
}

punctuation! {
    DoubleStarAssign "**=", DoubleSlashAssign "//=", ShlAssign "<<=", ShrAssign ">>=", Ellipsis "...",
    DoubleStar "**", DoubleSlash "//", Shl "<<", Shr ">>", Le "<=", Ge ">=", EqEq "==", NotEq "!=", Arrow "->",
    PlusAssign "+=", MinusAssign "-=", StarAssign "*=", SlashAssign "/=", PercentAssign "%=", AmpAssign "&=",
    PipeAssign "|=", CaretAssign "^=", AtAssign "@=", ColonAssign ":=",
    LParen "(", RParen ")", LBracket "[", RBracket "]", LBrace "{", RBrace "}", Comma ",", Colon ":", Dot ".",
    Semicolon ";", At "@", Assign "=", Plus "+", Minus "-", Star "*", Slash "/", Percent "%", Amp "&", Pipe "|",
    Caret "^", Tilde "~", Lt "<", Gt ">",
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) span: Span,
}

/// The tokens of a text; the last one is [`Tok::Eof`] or [`Tok::Error`].
pub(crate) struct Tokens {
    pub(crate) tokens: Vec<Token>,
    /// The message of the [`Tok::Error`] token.
    pub(crate) error: String,
    /// How deep brackets nest.
    pub(crate) depth: u32,
}

/// Most columns of indentation that are told apart; Python itself stops at 100 levels.
const MAX_INDENT_LEVELS: usize = 400;

/// Splits a whole source file into tokens.
pub(crate) fn lex(text: &str) -> Tokens {
    // Most tokens have three characters or more, spaces included.
    let tokens = Vec::with_capacity(text.len() / 3);
    let mut lexer = Lexer { text, pos: 0, end: text.len(), tokens, brackets: 0, deepest: 0 };
    let error = lexer.file().err().unwrap_or_default();
    Tokens { tokens: lexer.tokens, error, depth: lexer.deepest }
}

/// Splits the expression at `start..end` of `text` (the inside of a string literal) into tokens.
pub(crate) fn lex_expr(text: &str, start: usize, end: usize) -> Tokens {
    let mut lexer = Lexer { text, pos: start, end, tokens: Vec::new(), brackets: 1, deepest: 1 };
    let error = lexer.line().err().unwrap_or_default();
    if error.is_empty() {
        lexer.push(Tok::Eof, end);
    }
    Tokens { tokens: lexer.tokens, error, depth: lexer.deepest }
}

struct Lexer<'s> {
    text: &'s str,
    pos: usize,
    end: usize,
    tokens: Vec<Token>,
    /// Open brackets: inside of them line ends mean nothing.
    brackets: u32,
    deepest: u32,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.pos..self.end]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes()[..self.end].get(self.pos).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes()[..self.end].get(self.pos + ahead).copied()
    }

    /// Adds a token that ends here.
    fn push(&mut self, tok: Tok, start: usize) {
        let span = Span { start: start as u32, end: self.pos as u32 };
        self.tokens.push(Token { tok, span });
    }

    fn error<T>(&mut self, start: usize, message: impl Into<String>) -> Result<T, String> {
        let span = Span { start: start as u32, end: (start + 1).min(self.end) as u32 };
        self.tokens.push(Token { tok: Tok::Error, span });
        Err(message.into())
    }

    fn file(&mut self) -> Result<(), String> {
        if self.rest().starts_with('\u{feff}') {
            self.pos += '\u{feff}'.len_utf8();
        }
        let mut indents = vec![0usize];
        while self.pos < self.end {
            let mut width = 0;
            loop {
                match self.peek() {
                    Some(b' ') => width += 1,
                    Some(b'\t') => width = (width / 8 + 1) * 8,
                    Some(b'\x0c') => width = 0,
                    _ => break,
                }
                self.pos += 1;
            }
            match self.peek() {
                None => break,
                Some(b'\n') => {
                    self.pos += 1;
                    continue;
                }
                Some(b'\r') if self.peek_at(1) == Some(b'\n') => {
                    self.pos += 2;
                    continue;
                }
                Some(b'#') => {
                    self.skip_comment();
                    continue;
                }
                Some(_) => {}
            }
            let top = indents.last().copied().unwrap_or(0);
            if width > top {
                if indents.len() >= MAX_INDENT_LEVELS {
                    return self
                        .error(self.pos, format!("more than {MAX_INDENT_LEVELS} levels of indentation"));
                }
                indents.push(width);
                self.push(Tok::Indent, self.pos);
            } else {
                while width < indents.last().copied().unwrap_or(0) {
                    indents.pop();
                    self.push(Tok::Dedent, self.pos);
                }
                if width != indents.last().copied().unwrap_or(0) {
                    return self.error(self.pos, "this indentation matches no outer block");
                }
            }
            self.line()?;
            if self.brackets == 0 {
                // The place is where the line's text ends, not where the next line begins.
                let start = self.tokens.last().map_or(self.pos, |token| token.span.end as usize);
                self.push(Tok::Newline, start);
            }
        }
        for _ in 1..indents.len() {
            self.push(Tok::Dedent, self.pos);
        }
        self.push(Tok::Eof, self.pos);
        Ok(())
    }

    fn skip_comment(&mut self) {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        self.pos += length;
    }

    /// Tokens up to the end of the logical line, its line break included.
    fn line(&mut self) -> Result<(), String> {
        while let Some(byte) = self.peek() {
            let start = self.pos;
            match byte {
                b' ' | b'\t' | b'\x0c' => self.pos += 1,
                b'\r' if self.peek_at(1) == Some(b'\n') => self.pos += 1,
                b'\n' => {
                    self.pos += 1;
                    if self.brackets == 0 {
                        return Ok(());
                    }
                }
                b'#' => self.skip_comment(),
                b'\\' => {
                    let skip = if self.peek_at(1) == Some(b'\r') { 2 } else { 1 };
                    if self.peek_at(skip) != Some(b'\n') {
                        return self.error(start, "unexpected character after the line continuation `\\`");
                    }
                    self.pos += skip + 1;
                }
                b'"' | b'\'' => self.string(start)?,
                b'0'..=b'9' => self.number()?,
                b'.' if self.peek_at(1).is_some_and(|b| b.is_ascii_digit()) => self.number()?,
                b'A'..=b'Z' | b'a'..=b'z' | b'_' | 0x80.. => self.name()?,
                _ => self.punct()?,
            }
        }
        Ok(())
    }

    fn name(&mut self) -> Result<(), String> {
        let start = self.pos;
        let mut length = 0;
        for (at, c) in self.rest().char_indices() {
            let ok = if at == 0 { c.is_alphabetic() || c == '_' } else { c.is_alphanumeric() || c == '_' };
            if !ok {
                break;
            }
            length = at + c.len_utf8();
        }
        if length == 0 {
            let c = self.rest().chars().next().unwrap_or(' ');
            return self.error(start, format!("unexpected character `{}`", c.escape_default()));
        }
        self.pos += length;
        let raw = matches!(&self.text[start..self.pos], "r" | "R" | "u" | "U");
        if raw && matches!(self.peek(), Some(b'"' | b'\'')) {
            return self.string(start);
        }
        self.push(Tok::Name, start);
        Ok(())
    }

    fn number(&mut self) -> Result<(), String> {
        let start = self.pos;
        let bytes = &self.text.as_bytes()[..self.end];
        let mut tok = Tok::Int;
        let radix = match (bytes[start], bytes.get(start + 1)) {
            (b'0', Some(b'x' | b'X')) => Some(16),
            (b'0', Some(b'o' | b'O')) => Some(8),
            (b'0', Some(b'b' | b'B')) => Some(2),
            _ => None,
        };
        if let Some(radix) = radix {
            self.pos += 2;
            while self.peek().is_some_and(|b| (b as char).is_digit(radix) || b == b'_') {
                self.pos += 1;
            }
        } else {
            self.digits();
            if self.peek() == Some(b'.') {
                tok = Tok::Float;
                self.pos += 1;
                self.digits();
            }
            if matches!(self.peek(), Some(b'e' | b'E')) {
                let sign = usize::from(matches!(self.peek_at(1), Some(b'+' | b'-')));
                if self.peek_at(1 + sign).is_some_and(|b| b.is_ascii_digit()) {
                    tok = Tok::Float;
                    self.pos += 1 + sign;
                    self.digits();
                }
            }
        }
        if self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80) {
            return self.error(start, "malformed number");
        }
        self.push(tok, start);
        Ok(())
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_digit() || b == b'_') {
            self.pos += 1;
        }
    }

    /// A string literal whose quote is here and whose token begins at `start`.
    fn string(&mut self, start: usize) -> Result<(), String> {
        let quote = self.text.as_bytes()[self.pos];
        let triple = self.peek_at(1) == Some(quote) && self.peek_at(2) == Some(quote);
        self.pos += if triple { 3 } else { 1 };
        loop {
            match self.peek() {
                None => return self.error(start, "unterminated string"),
                Some(b'\n') if !triple => return self.error(start, "unterminated string"),
                Some(b'\\') => self.pos += if self.peek_at(1).is_some() { 2 } else { 1 },
                Some(b) if b == quote => {
                    if !triple {
                        self.pos += 1;
                        break;
                    }
                    if self.peek_at(1) == Some(quote) && self.peek_at(2) == Some(quote) {
                        self.pos += 3;
                        break;
                    }
                    self.pos += 1;
                }
                Some(_) => self.pos += 1,
            }
        }
        // A backslash may have been followed by a character of several bytes.
        while !self.text.is_char_boundary(self.pos) {
            self.pos += 1;
        }
        self.push(Tok::Str, start);
        Ok(())
    }

    fn punct(&mut self) -> Result<(), String> {
        let start = self.pos;
        let rest = self.rest().as_bytes();
        let found = PUNCTUATION
            .iter()
            .find(|(text, _)| text.as_bytes()[0] == rest[0] && rest.starts_with(text.as_bytes()));
        let Some(&(text, punct)) = found else {
            let c = self.rest().chars().next().unwrap_or(' ');
            return self.error(start, format!("unexpected character `{}`", c.escape_default()));
        };
        match punct {
            Punct::LParen | Punct::LBracket | Punct::LBrace => {
                self.brackets += 1;
                self.deepest = self.deepest.max(self.brackets);
            }
            Punct::RParen | Punct::RBracket | Punct::RBrace => {
                if self.brackets == 0 {
                    return self.error(start, format!("unmatched `{text}`"));
                }
                self.brackets -= 1;
            }
            _ => {}
        }
        self.pos += text.len();
        self.push(Tok::Punct(punct), start);
        Ok(())
    }
}
