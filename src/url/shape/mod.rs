//! The grammars: one file per [`Shape`].

mod file;
mod ftp;
mod generic;
mod gopher;
mod http;
mod mailto;
mod message_id;
mod news;
mod nntp;
mod prospero;
mod telnet;
mod wais;

use super::ParseError;
use super::parser::Parser;
use super::scheme::Shape;

/// Parses what follows the scheme's colon, which stands at `from - 1`.
#[inline]
pub(super) fn parse(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    match parser.url.shape() {
        Shape::Ftp => ftp::parse(parser, from),
        Shape::Http => http::parse(parser, from),
        Shape::Gopher => gopher::parse(parser, from),
        Shape::Mailto => mailto::parse(parser, from),
        Shape::News => news::parse(parser, from),
        Shape::Nntp => nntp::parse(parser, from),
        Shape::Telnet => telnet::parse(parser, from),
        Shape::Wais => wais::parse(parser, from),
        Shape::File => file::parse(parser, from),
        Shape::Prospero => prospero::parse(parser, from),
        Shape::MessageId => message_id::parse(parser, from),
        Shape::Internet => generic::internet(parser, from),
        Shape::Generic => generic::generic(parser, from),
    }
}
