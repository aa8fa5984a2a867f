import type { Command } from "commander";
import { readConfig } from "../../config/read-config.ts";
import { everySetting, settings } from "../../config/settings.ts";
import { examples, section, subcommand } from "../terminal/help.ts";
import type { Io } from "../terminal/io.ts";
import { settingOption, withOverrides } from "../terminal/options.ts";

interface ServeOptions {
  port?: string;
  host?: string;
  data?: string;
}

/** `duba serve`. */
export function addServe(program: Command, io: Io, setExitCode: (exitCode: number) => void): void {
  const command = subcommand(program, "serve", "Start the service. It reads its settings from environment variables.")
    .addOption(settingOption("--port <number>", settings.port))
    .addOption(settingOption("--host <address>", settings.host))
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async ({ port, host, data }: ServeOptions) => {
      const config = readConfig(withOverrides(io.environment, { PORT: port, HOST: host, DUBA_DATA: data }));
      const { serve } = await import("../../serve.ts");
      setExitCode(await serve(config));
    });
  section(
    command,
    "Settings (environment variables):",
    everySetting.map(({ name, about, default: usual, form }) => [
      name,
      `${about} (${form}; default: ${usual === "" ? "empty" : usual})`,
    ]),
  );
  examples(command, "duba serve", "PORT=0 DUBA_LOG_LEVEL=warn duba serve --data /var/lib/duba");
}
