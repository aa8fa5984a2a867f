import { InvalidArgumentError, Option } from "commander";
import type { settings } from "../config/settings.ts";

type AnySetting = (typeof settings)[keyof typeof settings];

/** An option that overrides a setting and accepts the same values. */
export function settingOption(flags: string, { name, about, form, read }: AnySetting): Option {
  return new Option(flags, `${about} Overrides ${name}.`).argParser((text: string) => {
    if (read(text) === undefined) throw new InvalidArgumentError(`It must be ${form}.`);
    return text;
  });
}

/** The environment, in which options replace their settings. */
export function withOverrides(
  environment: Record<string, string | undefined>,
  options: Record<string, string | undefined>,
): Record<string, string | undefined> {
  return { ...environment, ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) };
}
