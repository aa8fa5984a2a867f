import type { DeclaredKind } from "../../declare/audit-kind.ts";
import { checkCommands } from "./check-commands.ts";
import { readCommands } from "./read-commands.ts";

/** `kinds`: all kinds of events that this build knows. */
export const auditCommands = (kinds: readonly DeclaredKind[]) => [...checkCommands, ...readCommands(kinds)];
