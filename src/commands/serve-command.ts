import { settings } from "../config/settings.ts";
import { flag, formed } from "../declare/command/read-texts.ts";
import { command } from "../declare/command.ts";
import Type from "../declare/schema/type.ts";
import type { Setting } from "../declare/setting.ts";
import type { CommandResources } from "./context.ts";
import { serviceTrail } from "./service-trail.ts";

/** `duba serve`. Only a terminal can start a service. `everySetting`: settings that the help lists. */
export const serveCommand = (everySetting: readonly Setting<unknown>[]) =>
  command({
    id: "serve",
    title: "Serve",
    summary: "Start the service. It reads its settings from environment variables.",
    role: "officer",
    kind: "change",
    only: "terminal",
    store: "none",
    input: Type.Object({
      port: overrideOf(settings.port, "number"),
      host: overrideOf(settings.host, "address"),
      data: overrideOf(settings.dataDirectory, "directory"),
      new_store: flag(
        "Begin with an empty store, although the key ring belongs to one that is not in the data directory. " +
          "Without live vendors a start does so without this option: then only the log and duba_audit_alarm say it.",
      ),
    }),
    answer: Type.Object({ exit_code: Type.Integer() }),
    view: () => [],
    isWell: ({ exit_code }) => exit_code === 0,
    records: [serviceTrail.serviceStarted, serviceTrail.serviceSetting],
    guide: {
      heading: "Settings (environment variables):",
      items: everySetting.map(({ name, about, default: usual, form }) => [
        name,
        `${about} (${form}; default: ${usual === "" ? "empty" : usual})`,
      ]),
    },
    examples: [{}, { port: "8080", data: "/var/lib/duba" }],
    run: async ({ new_store }, { config, serve }: Pick<CommandResources, "config" | "serve">) => {
      if (!new_store) (await import("../audit/anchor/lost-store.ts")).refuseLostStore(config);
      return { exit_code: await serve!(config) };
    },
  });

/** Returns an option that overrides a setting and has the same form. */
function overrideOf({ name, about, form, read }: Setting<unknown>, placeholder: string) {
  const readText = (text: string) => (read(text) === undefined ? undefined : text);
  return Type.Optional(
    formed({ form, read: readText }, { description: `${about} Overrides ${name}.`, placeholder, setting: name }),
  );
}
