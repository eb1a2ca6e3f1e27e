// Runs the example `wasm` under node. The exit status is 1 if the program traps. See main.rs.
import { readFile } from 'node:fs/promises';

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), {});
const status = instance.exports.main(0, 0);
console.log(`wasm: ${process.argv[2]}: passed, status ${status}`);
process.exit(status);
