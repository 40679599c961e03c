//! Expressions of formulas, parsed by recursive descent.

use super::functions::Function;
use super::lexer::{Token, tokens};
use super::{Expression, FormulaError};

/// Maximum number of levels of an expression.
const LEVELS: usize = 50;
/// Maximum number of binary operators, calls after a point, and variables.
const CHAINED: usize = 500;

/// Binary operators by their precedence, from the weakest.
const OPERATORS: [&[(&str, Function)]; 6] = [
    &[("||", Function::Or), ("or", Function::Or)],
    &[("&&", Function::And), ("and", Function::And)],
    &[("==", Function::Equal), ("!=", Function::Unequal)],
    &[
        (">=", Function::LargerEq),
        ("<=", Function::SmallerEq),
        (">", Function::Larger),
        ("<", Function::Smaller),
    ],
    &[("+", Function::Add), ("-", Function::Subtract)],
    &[
        ("*", Function::Multiply),
        ("/", Function::Divide),
        ("%", Function::Mod),
    ],
];

/// Parses an expression. An empty one has no value.
pub(super) fn parse(expression: &str) -> Result<Expression, FormulaError> {
    let mut parser = Parser {
        tokens: Tokens::new(tokens(expression)?),
        variables: Vec::new(),
        levels: LEVELS,
        chained: CHAINED,
    };
    if parser.tokens.peek().is_none() {
        return Ok(Expression::Empty);
    }
    let parsed = parser.expression()?;
    match parser.tokens.next() {
        None => Ok(parsed),
        Some(token) => Err(unexpected("the end of the formula", Some(&token))),
    }
}

struct Parser {
    tokens: Tokens,
    /// Names that are known at this place.
    variables: Vec<String>,
    levels: usize,
    /// Number of further operators, calls and variables. A chain of them is as deep as it is long.
    chained: usize,
}

/// Tokens that are not parsed yet.
struct Tokens(Vec<Token>);

impl Tokens {
    fn new(mut all: Vec<Token>) -> Self {
        all.reverse();
        Self(all)
    }

    fn peek(&self) -> Option<&Token> {
        self.0.last()
    }

    fn next(&mut self) -> Option<Token> {
        self.0.pop()
    }
}

type Parsed = Result<Expression, FormulaError>;

fn unexpected(expected: &'static str, token: Option<&Token>) -> FormulaError {
    let found = match token {
        None => "the end of the formula".to_owned(),
        Some(Token::Number(number)) => number.to_string(),
        Some(Token::Text(text)) => format!("{text:?}"),
        Some(Token::Word(word)) => format!("{word:?}"),
        Some(Token::Property(_)) => "a property".to_owned(),
        Some(Token::Symbol(symbol)) => format!("{symbol:?}"),
    };
    FormulaError::Token { expected, found }
}

impl Parser {
    fn is_next(&self, symbol: &str) -> bool {
        match self.tokens.peek() {
            Some(Token::Symbol(next)) => *next == symbol,
            Some(Token::Word(word)) => word == symbol,
            _ => false,
        }
    }

    fn skip(&mut self, symbol: &str) -> bool {
        let is_next = self.is_next(symbol);
        if is_next {
            self.tokens.next();
        }
        is_next
    }

    fn expect(&mut self, symbol: &'static str) -> Result<(), FormulaError> {
        if self.skip(symbol) {
            return Ok(());
        }
        Err(unexpected(symbol, self.tokens.peek()))
    }

    /// Parses one level deeper.
    fn deeper(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.levels = self.levels.checked_sub(1).ok_or(FormulaError::Limit {
            limit: LEVELS,
            what: "levels",
        })?;
        let parsed = parse(self);
        self.levels += 1;
        parsed
    }

    /// Counts an operator, call or variable.
    fn chain(&mut self) -> Result<(), FormulaError> {
        self.chained = self.chained.checked_sub(1).ok_or(FormulaError::Limit {
            limit: CHAINED,
            what: "operators, calls and variables",
        })?;
        Ok(())
    }

    fn expression(&mut self) -> Parsed {
        self.deeper(|parser| {
            let condition = parser.binary(0)?;
            if !parser.skip("?") {
                return Ok(condition);
            }
            let yes = parser.expression()?;
            parser.expect(":")?;
            let no = parser.expression()?;
            Ok(Expression::Call(Function::If, vec![condition, yes, no]))
        })
    }

    fn binary(&mut self, precedence: usize) -> Parsed {
        let Some(operators) = OPERATORS.get(precedence) else {
            return self.unary();
        };
        let mut left = self.binary(precedence + 1)?;
        loop {
            let next = operators.iter().find(|(symbol, _)| self.is_next(symbol));
            let Some((_, function)) = next else {
                return Ok(left);
            };
            self.tokens.next();
            self.chain()?;
            let right = self.binary(precedence + 1)?;
            left = Expression::Call(*function, vec![left, right]);
        }
    }

    fn unary(&mut self) -> Parsed {
        let prefixes = [
            ("-", Function::UnaryMinus),
            ("+", Function::UnaryPlus),
            ("!", Function::Not),
            ("not", Function::Not),
        ];
        let prefix = prefixes.iter().find(|(symbol, _)| self.is_next(symbol));
        if let Some((_, function)) = prefix {
            self.tokens.next();
            // `not(…)` is a call as well as an operator.
            let operand = self.deeper(Self::unary)?;
            return Ok(Expression::Call(*function, vec![operand]));
        }
        let base = self.postfix()?;
        if !self.skip("^") {
            return Ok(base);
        }
        let exponent = self.deeper(Self::unary)?;
        Ok(Expression::Call(Function::Pow, vec![base, exponent]))
    }

    fn postfix(&mut self) -> Parsed {
        let mut value = self.primary()?;
        loop {
            if self.skip("[") {
                self.chain()?;
                let index = self.expression()?;
                self.expect("]")?;
                value = Expression::Call(Function::At, vec![value, index]);
            } else if self.skip(".") {
                self.chain()?;
                let name = self.word("the name of a function")?;
                value = self.call(&name, Some(value))?;
            } else {
                return Ok(value);
            }
        }
    }

    fn word(&mut self, expected: &'static str) -> Result<String, FormulaError> {
        match self.tokens.next() {
            Some(Token::Word(word)) => Ok(word),
            other => Err(unexpected(expected, other.as_ref())),
        }
    }

    fn primary(&mut self) -> Parsed {
        match self.tokens.next() {
            Some(Token::Number(number)) => Ok(Expression::Number(number)),
            Some(Token::Text(text)) => Ok(Expression::Text(text)),
            Some(Token::Property(id)) => Ok(Expression::Property(id)),
            Some(Token::Symbol("(")) => {
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            Some(Token::Symbol("[")) => Ok(Expression::List(self.list("]")?)),
            Some(Token::Word(word)) => self.named(word),
            other => Err(unexpected("a value", other.as_ref())),
        }
    }

    fn named(&mut self, word: String) -> Parsed {
        if self.is_next("(") {
            return self.call(&word, None);
        }
        match word.as_str() {
            "true" => Ok(Expression::Boolean(true)),
            "false" => Ok(Expression::Boolean(false)),
            // Constants of formulas 1.0.
            "pi" => Ok(Expression::Number(std::f64::consts::PI)),
            "e" => Ok(Expression::Number(std::f64::consts::E)),
            "current" | "index" => Ok(Expression::Variable(word)),
            _ if self.variables.contains(&word) => Ok(Expression::Variable(word)),
            _ => Err(FormulaError::Variable(word)),
        }
    }

    /// Parses values separated by commas up to the closing symbol.
    fn list(&mut self, end: &'static str) -> Result<Vec<Expression>, FormulaError> {
        let mut items = Vec::new();
        if self.skip(end) {
            return Ok(items);
        }
        loop {
            items.push(self.expression()?);
            if self.skip(end) {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }

    /// Parses the arguments of a call. `receiver` is the first one, if it stands before a point.
    fn call(&mut self, name: &str, receiver: Option<Expression>) -> Parsed {
        match (name, receiver) {
            ("prop", receiver) => {
                self.expect("(")?;
                let property = match self.tokens.next() {
                    Some(Token::Text(name) | Token::Property(name)) => name,
                    other => return Err(unexpected("the name of a property", other.as_ref())),
                };
                self.expect(")")?;
                Ok(match receiver {
                    None => Expression::Property(property),
                    Some(page) => Expression::PropertyOf(Box::new(page), property),
                })
            }
            ("let" | "lets", None) => self.variables(name),
            (name, receiver) => {
                let function =
                    Function::parse(name).ok_or_else(|| FormulaError::Function(name.to_owned()))?;
                self.expect("(")?;
                let mut arguments: Vec<Expression> = receiver.into_iter().collect();
                arguments.extend(self.list(")")?);
                function.check(arguments.len())?;
                Ok(Expression::Call(function, arguments))
            }
        }
    }

    /// Parses `let(name, value, body)`, or `lets` with several names.
    fn variables(&mut self, function: &str) -> Parsed {
        self.expect("(")?;
        let known = self.variables.len();
        let mut values = Vec::new();
        loop {
            let is_body = match (function, values.len()) {
                ("let", count) => count == 1,
                (_, count) => count > 0 && !self.is_binding(),
            };
            if is_body {
                break;
            }
            self.chain()?;
            let name = self.word("the name of a variable")?;
            self.expect(",")?;
            let value = self.expression()?;
            self.expect(",")?;
            self.variables.push(name.clone());
            values.push((name, value));
        }
        let mut body = self.expression()?;
        self.expect(")")?;
        self.variables.truncate(known);
        for (name, value) in values.into_iter().rev() {
            body = Expression::Let {
                name,
                value: Box::new(value),
                body: Box::new(body),
            };
        }
        Ok(body)
    }

    /// Reports whether a name and a comma follow, which begin another variable.
    fn is_binding(&self) -> bool {
        matches!(
            self.tokens.0.as_slice(),
            [.., Token::Symbol(","), Token::Word(_)]
        )
    }
}
