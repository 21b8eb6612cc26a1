/**
 * Client of the Unburden sidecar: a message history in, a smaller, valid one out, and everything
 * that was moved out within the agent's reach.
 *
 * @packageDocumentation
 */
export { Unburden } from './client.js';
export type { Offloaded, OffloadOptions, UnburdenOptions } from './client.js';
export type {
  Comparison,
  Condition,
  CountOptions,
  ExtractOptions,
  GrepOptions,
  OffloadResultOptions,
  ReadFileOptions,
  ReadToolResultOptions,
} from './calls.js';
export { UnburdenError } from './errors.js';
export type { ErrorDetails } from './errors.js';
export { addReport, noTotals } from './report.js';
export type { OffloadAction, OffloadReport, SnapshotReport, Totals } from './report.js';
export type {
  CountResult,
  ExtractResult,
  GrepMatch,
  GrepResult,
  OffloadResultResult,
  Problem,
  ReadFileResult,
  RehydrateResult,
  TextResult,
  ToolResultResult,
  ValidateResult,
} from './results.js';
export type { Format, OffloadSettings, ReloadTool, ReloadTools } from './settings.js';
export { toolDefinitions } from './tools.js';
export type { ReloadToolName, ToolFormat, ToolNames } from './tools.js';
