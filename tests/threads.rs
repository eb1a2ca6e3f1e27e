//! Checks which types are `Send` and `Sync`.

#[test]
fn searchers_are_sync_and_hits_are_send() {
    fn shared<T: Send + Sync + Clone + 'static>() {}
    fn sent<T: Send + Sync>() {}
    shared::<urlspool::Extractor>();
    shared::<urlspool::Hit>();
    shared::<urlspool::Scanner>();
    shared::<urlspool::Diagnostic>();
    shared::<urlspool::Alternative>();
    shared::<urlspool::ParseError>();
    sent::<urlspool::Error>();
    sent::<urlspool::Input>();
    sent::<urlspool::Url<'static>>();
    sent::<urlspool::Candidate<'static>>();
}
