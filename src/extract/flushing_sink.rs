//! A local sink that is handed over when it is full, even within a message.

use std::ops::ControlFlow;

use crate::sink::{Collect, DynSink, Flow as _, Sink as _, pass_on};

/// Fills `local`, and calls `flush` when it is full, because a message of 4 MiB can hold some hundred thousand URLs.
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

    // A check adds nothing to `local`.
    fn check(&mut self) -> ControlFlow<()> {
        if self.local.check().stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
