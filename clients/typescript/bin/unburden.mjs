#!/usr/bin/env node
// The command: runs the program with the same arguments, input, output and exit status.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import process from 'node:process';
import { findProgram } from '../dist/program.js';

let program;
try {
  program = findProgram();
} catch (error) {
  console.error(error.message);
  process.exit(2);
}
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends its signals to both; whoever signals this process alone means the program.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => signal === 'SIGINT' || child.kill(signal));
}
child.on('error', (error) => {
  console.error(`unburden: ${program} cannot be run: ${error.message}`);
  process.exit(2);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
