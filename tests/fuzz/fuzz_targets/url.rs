#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| urlspool_fuzz::properties::url(octets));
