//! A local sink that is handed over whenever it is full, within a message too.

use std::ops::ControlFlow;

use crate::sink::{Collect, DynSink, Flow as _, Sink as _, pass_on};

/// Fills `local`, and calls `flush` when it is full: a message of 4 MiB may hold some hundred thousand URLs.
pub(super) struct FlushingSink<'r, C: Collect> {
    pub(super) local: &'r mut C::Local,
    pub(super) flush: &'r mut dyn FnMut(&mut C::Local) -> ControlFlow<()>,
}

impl<C: Collect> DynSink for FlushingSink<'_, C> {
    pass_on!(self, self.local, flow => if flow.stops() {
        ControlFlow::Break(())
    } else if C::is_full(self.local) {
        (self.flush)(self.local)
    } else {
        ControlFlow::Continue(())
    });

    // Fills nothing.
    fn check(&mut self) -> ControlFlow<()> {
        if self.local.check().stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
