//! A sink for one worker. The sink hands over its results as soon as it is full, even in the middle of a message.

use std::ops::ControlFlow;

use crate::sink::{Collect, DynSink, Flow as _, Sink as _, pass_on};

/// Passes results to `local`, and calls `flush` when `local` is full. Without this limit, one message of 4 MiB could
/// fill memory with several hundred thousand URLs.
pub(super) struct FlushingSink<'r, C: Collect> {
    pub(super) local: &'r mut C::Local,
    pub(super) flush: &'r mut dyn FnMut(&mut C::Local) -> ControlFlow<()>,
}

impl<C: Collect> FlushingSink<'_, C> {
    /// Hands over the results, which waits until all earlier results were handed over.
    pub(super) fn wait_for_turn(&mut self) -> ControlFlow<()> {
        (self.flush)(self.local)
    }
}

impl<C: Collect> DynSink for FlushingSink<'_, C> {
    pass_on!(self, self.local, flow => if flow.stops() {
        ControlFlow::Break(())
    } else if C::is_full(self.local) {
        (self.flush)(self.local)
    } else {
        ControlFlow::Continue(())
    });

    // A check does not fill `local`, so this method does not call `flush`.
    fn check(&mut self) -> ControlFlow<()> {
        if self.local.check().stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
