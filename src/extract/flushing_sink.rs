//! A sink that collects the results of one worker. A full sink passes its results on, even in the middle of a message.

use std::ops::ControlFlow;

use crate::sink::{Collect, DynSink, Flow as _, Sink as _, pass_on};

/// Passes results to `local`, and calls `flush` when `local` is full. Without these calls, a single message could fill
/// the memory, because a message of 4 MiB can contain several hundred thousand URLs.
pub(super) struct FlushingSink<'r, C: Collect> {
    pub(super) local: &'r mut C::Local,
    pub(super) flush: &'r mut dyn FnMut(&mut C::Local) -> ControlFlow<()>,
}

impl<C: Collect> FlushingSink<'_, C> {
    /// Waits until the results of all earlier inputs were passed to [`Collect::collect`], then passes on the results in
    /// `local`.
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

    // This method does not call `flush`, because a check adds no result to `local`.
    fn check(&mut self) -> ControlFlow<()> {
        if self.local.check().stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
