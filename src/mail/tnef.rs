//! Reads a part in TNEF, Outlook's format for `winmail.dat`. The part contains a message.

use std::ops::Range;

use super::map::Map;
use super::structure::{Caller, Flow, Walk, nested};
use super::transfer::{self, Encoding};
use super::{Kind, Prefilter, Region, Skip};
use crate::diagnostic::{Diagnostic, DiagnosticKind};

impl Walk<'_, '_> {
    /// Visits the regions of the message in a TNEF part. Every region has the range of the whole part. Exact offsets do
    /// not exist, because TNEF stores text compressed or in other charsets.
    pub(super) fn tnef(&mut self, raw: Range<usize>, encoding: Encoding) -> Flow {
        let bytes = &self.message[raw.clone()];
        let (mut decoded, mut points) = self.take();
        let data = match encoding {
            Encoding::Base64 => {
                let (_, made) = transfer::decode_base64(bytes, &mut decoded, &mut points);
                &decoded[..made]
            }
            Encoding::Quoted => {
                transfer::decode_quoted(bytes, &mut decoded, &mut points);
                &decoded
            }
            _ => bytes,
        };
        let converted = if self.full() { None } else { outlook_mime::from_tnef(data).ok() };
        self.give_back(decoded, points);
        let Some(converted) = converted else {
            self.note(if self.full() { DiagnosticKind::Depth } else { DiagnosticKind::BadTnef }, raw.start);
            return self.emit(Kind::Skipped(Skip::Attachment), raw, false);
        };
        if converted.is_damaged {
            self.note(DiagnosticKind::BadTnef, raw.start);
        }
        let mut inner = self.scratch.inner.take().unwrap_or_default();
        inner.section.clone_from(&self.scratch.section);
        let map = Map::Whole { start: raw.start, end: raw.end };
        let Caller { prefilter, visit, note } = &mut *self.caller;
        let mut relay = |region: &Region<'_>| {
            let map = Map::Composed(&region.map, &map);
            visit(&Region { raw: raw.clone(), map, triggers: None, ..region.clone() })
        };
        let mut renote = |told: Diagnostic| note(Diagnostic { offset: raw.start as u64, ..told });
        let prefilter = Prefilter::new(None, prefilter.find);
        let mut caller = Caller { prefilter, visit: &mut relay, note: &mut renote };
        let depth = self.depth + self.scratch.frames.len() + 1;
        let flow = nested(&converted.bytes, self.limits, &mut inner, &mut caller, depth, self.parts, self.alternative);
        self.scratch.inner = Some(inner);
        flow
    }
}
