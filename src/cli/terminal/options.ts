import { InvalidArgumentError, Option } from "commander";
import type { settings } from "../../config/settings.ts";

type AnySetting = (typeof settings)[keyof typeof settings];

/** An option that stands in for a setting of the environment, and takes what the setting takes. */
export function settingOption(flags: string, { name, about, form, read }: AnySetting): Option {
  return new Option(flags, `${about} Instead of ${name}.`).argParser((text: string) => {
    if (read(text) === undefined) throw new InvalidArgumentError(`It must be ${form}.`);
    return text;
  });
}

/** An option that may be given several times, and gathers its values. */
export function repeatableOption(flags: string, about: string): Option {
  return new Option(flags, about).argParser((text: string, gathered: string[] | undefined) => [
    ...(gathered ?? []),
    text,
  ]);
}

/** The environment with the options that were given in place of their settings. */
export function overridden(
  environment: Record<string, string | undefined>,
  options: Record<string, string | undefined>,
): Record<string, string | undefined> {
  return { ...environment, ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) };
}
