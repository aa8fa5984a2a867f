import type { Core } from "../commands/context.ts";
import type { Config } from "../config/read-config.ts";
import { features, healthOfFeatures, stories } from "../features.ts";
import type { Log } from "../runtime/log.ts";
import type { KeptTimes } from "../storage/tables/declared-table.ts";
import { everyCommand } from "./every-command.ts";

/** Opens the common parts of the service and the terminal. */
export function coreOf(config: Config, log: Log): Core {
  const [consoleOrigin] = features.flatMap((each) => each.consoleOrigin?.(config) ?? []);
  return {
    config,
    log,
    commands: everyCommand,
    consoleOrigin,
    stories,
    health: healthOfFeatures,
    openAlarms: features.find(({ openAlarms }) => openAlarms)?.openAlarms ?? (async () => []),
    keptTimes: keptTimes(config),
  };
}

/** Returns the retention times of the settings. */
export function keptTimes(config: Config): KeptTimes {
  return Object.assign({ recordRetention: config.recordRetention }, ...features.map(({ keeps }) => keeps?.(config)));
}
