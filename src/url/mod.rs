//! The core parser.
pub mod scheme;
/// stub
pub struct Url;
impl Url {
    /// stub
    pub fn parse(_: &[u8]) -> Result<Url, ()> { Ok(Url) }
}
