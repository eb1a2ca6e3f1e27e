#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| urlspool_fuzz::tasks(bytes));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max: usize, seed: u32| {
    urlspool_fuzz::mutate(data, size, max, seed)
});
