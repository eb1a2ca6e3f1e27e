//! A part of the output that is handed over whenever it is full, within a message too.

use std::ops::ControlFlow;

use crate::sink::{Collect, Sink, pass_on};

/// Fills `part`, and calls `flush` when it is full: a message of 4 MiB may hold some hundred thousand URLs, and a line
/// about each.
pub(super) struct Relief<'r, C: Collect> {
    pub(super) part: &'r mut C::Local,
    pub(super) flush: &'r mut dyn FnMut(&mut C::Local) -> ControlFlow<()>,
}

impl<C: Collect> Sink for Relief<'_, C> {
    pass_on!(self, self.part, if C::is_full(self.part) { (self.flush)(self.part) } else { ControlFlow::Continue(()) });
}
