//! The paths that the user named. A list of paths can still be arriving, for example through a pipe.

use std::path::PathBuf;
use std::vec;
#[cfg(feature = "parallel")]
use std::{
    panic::resume_unwind,
    sync::mpsc::{Receiver, channel, sync_channel},
    thread::{self, JoinHandle},
};

/// How many paths of a list are read ahead.
#[cfg(feature = "parallel")]
const AHEAD: usize = 256;

pub(crate) enum Paths {
    /// Paths that need not be waited for.
    Known(vec::IntoIter<PathBuf>),
    /// A list. Each path may have to be waited for.
    List(Box<dyn Iterator<Item = PathBuf> + Send>),
    /// A list that another thread reads. The thread is taken at the end of the list.
    #[cfg(feature = "parallel")]
    Ahead(Receiver<PathBuf>, Option<JoinHandle<()>>),
}

impl Paths {
    /// Returns the next path if it has already arrived. Does not read a list ahead.
    pub(super) fn at_hand(&mut self) -> Option<PathBuf> {
        match self {
            Paths::Known(paths) => paths.next(),
            Paths::List(_) => None,
            #[cfg(feature = "parallel")]
            Paths::Ahead(paths, _) => paths.try_recv().ok(),
        }
    }

    /// Starts a thread that reads the list, so that [`at_hand`](Self::at_hand) knows which paths have arrived.
    #[cfg(feature = "parallel")]
    pub(crate) fn ahead(self) -> Paths {
        let Paths::List(list) = self else { return self };
        let (hand_over, take) = channel::<Box<dyn Iterator<Item = PathBuf> + Send>>();
        let (sender, receiver) = sync_channel(AHEAD);
        let reader = thread::Builder::new().spawn(move || {
            // Sending fails only if the search has ended.
            let _ = take.recv().map(|mut list| list.try_for_each(|path| sender.send(path)));
        });
        match reader {
            Ok(reader) => {
                let _ = hand_over.send(list);
                Paths::Ahead(receiver, Some(reader))
            }
            // Without a thread, the search finds the same URLs, but not as fast.
            Err(_) => Paths::List(list),
        }
    }
}

impl Default for Paths {
    fn default() -> Paths {
        Paths::Known(Vec::new().into_iter())
    }
}

impl Iterator for Paths {
    type Item = PathBuf;

    fn next(&mut self) -> Option<PathBuf> {
        match self {
            Paths::Known(paths) => paths.next(),
            Paths::List(paths) => paths.next(),
            #[cfg(feature = "parallel")]
            Paths::Ahead(paths, reader) => {
                let path = paths.recv().ok();
                if path.is_none()
                    && let Some(Err(panic)) = reader.take().map(JoinHandle::join)
                {
                    resume_unwind(panic);
                }
                path
            }
        }
    }
}
