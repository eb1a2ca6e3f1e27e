// Runs the example `wasm` under node: exits with 1 if it traps. See main.rs.
import { readFile } from 'node:fs/promises';

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), {});
const status = instance.exports.main(0, 0);
console.log(`wasm: ${process.argv[2]}: passed, status ${status}`);
process.exit(status);
