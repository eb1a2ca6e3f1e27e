#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| urlspool_fuzz::browser(bytes));
