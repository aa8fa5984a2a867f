import { isIP } from "node:net";
import { isClosed, isNetwork, widthOf } from "../runtime/network/address.ts";
import type { Limit } from "../runtime/rate-limiter.ts";

/** One setting: an environment variable, its default, and a reader for its text. */
export interface Setting<Value> {
  name: string;
  default: string;
  /** Sentences about its effect, for `docs/settings.md` and `.env.example`. */
  about: string;
  /** Completes "NAME must be …". */
  form: string;
  /** Returns undefined for invalid text. */
  read: (text: string) => Value | undefined;
  /** Further sentences about invalid text, beyond the form. */
  problemsIn?: (text: string) => string[];
  /** A secret: the operator may put it into a file, and the file's path into `NAME_FILE`. */
  secret?: boolean;
  /** A vendor's setting that the vendor does not need. */
  optional?: boolean;
  /**
   * Returns a sentence if the value is dangerous when set by mistake. `own`: addresses at which others reach this
   * machine.
   */
  risk?(value: Value, own: readonly string[]): string | undefined;
  /** The service listens on the address that this setting holds, if it holds one. */
  listens?: boolean;
  /** Only `duba call` reads the setting; the service ignores it. */
  onlyCall?: boolean;
  /** The old setting, read until version 0.3 if the new one is not set. */
  former?: FormerSetting;
}

/** A setting of version 0.1 that combined several values. */
export interface FormerSetting {
  name: string;
  /** Whether version 0.1 accepted this text. */
  isFit: (text: string) => boolean;
  /** Reads the new setting's text from the old one's; undefined if it has none. */
  read: (text: string) => string | undefined;
}

export const setting = <Value>(spec: Setting<Value>) => spec;

export const oneOf = <const Word extends string>(...words: Word[]) => ({
  form: `one of ${words.join(", ")}`,
  read: (text: string) => words.find((word) => word === text),
});

export const onOff = {
  form: "on or off",
  read: (text: string) => (text === "on" ? true : text === "off" ? false : undefined),
};

export const anyText = { form: "text", read: (text: string) => text };

export const limit = {
  form: "a count per window, such as 600/min (s, min, h or day)",
  hint: "600/min (s, min, h or day)",
  read: (text: string): Limit | undefined => {
    const parts = /^([1-9]\d{0,8})\/(s|min|h|day)$/.exec(text);
    if (!parts) return undefined;
    return { count: Number(parts[1]), seconds: { s: 1, min: 60, h: 3600, day: 86400 }[parts[2] as "s"] };
  },
};

export const size = {
  form: "a size, such as 512B, 16KiB or 1MiB",
  /** Bytes. */
  read: (text: string): number | undefined => {
    const parts = /^([1-9]\d{0,6})(B|KiB|MiB)$/.exec(text);
    return parts ? Number(parts[1]) * { B: 1, KiB: 1024, MiB: 1024 ** 2 }[parts[2] as "B"] : undefined;
  },
};

export const httpUrl = {
  form: "an http:// or https:// URL",
  /** Removes slashes at the end. */
  read: (text: string) => (/^https?:\/\/[^/]/.test(text) && URL.canParse(text) ? text.replace(/\/+$/, "") : undefined),
};

export const count = {
  form: "a whole number above 0",
  read: (text: string): number | undefined => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined),
};

export const networks = {
  form: "a comma-separated list of IP addresses and networks, such as 10.0.0.0/8",
  read: (text: string): string[] | undefined => {
    const entries = text
      .split(",")
      .map((entry) => entry.trim())
      .filter(Boolean);
    return entries.every(isNetwork) ? entries : undefined;
  },
};

const everyNetwork = (fits: (entry: string) => boolean) => (text: string) => {
  const entries = networks.read(text);
  return entries?.every(fits) ? entries : undefined;
};

/** A list of networks, none of which is a large part of the internet. */
export const narrowNetworks = {
  form: `${networks.form}, none wider than /8 (IPv6: /16)`,
  read: everyNetwork((entry) => widthOf(entry) >= (entry.includes(":") ? 16 : 8)),
};

export const privateNetworks = {
  form: "a comma-separated list of private IP addresses and networks, such as 10.0.0.0/8",
  read: everyNetwork(isClosed),
};

/** An address to listen on, written as in `example`. Empty text is null: do not listen. */
export const endpoint = (example: string) => ({
  form: `an IP address and a port, such as ${example}`,
  read: (text: string): { host: string; port: number } | null | undefined => {
    if (text === "") return null;
    const [, host = "", port = ""] = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(text) ?? [];
    return isIP(host) && Number(port) <= 65535 ? { host, port: Number(port) } : undefined;
  },
});

/** The same values, or empty text, which is null. */
export const orNone = <Value>({ form, read }: Pick<Setting<Value>, "form" | "read">) => ({
  form: `${form}, or empty`,
  read: (text: string): Value | null | undefined => (text === "" ? null : read(text)),
});

/**
 * Declares a version 0.1 setting of several parts, such as removal=30%,factor=2. Returns a function that returns the
 * declaration for one part.
 */
export const formerParts = <Part extends string>(name: string, ...parts: Part[]) => {
  const known = new Set<string | undefined>(parts);
  const given = (text: string) => text.split(",").map((each) => each.split("=", 2).map((word) => word.trim()));
  return (part: Part): FormerSetting => ({
    name,
    isFit(text) {
      const all = given(text);
      const names = new Set<string | undefined>(all.map(([of]) => of));
      return names.size === all.length && names.isSubsetOf(known) && all.every(({ length }) => length === 2);
    },
    read: (text) => given(text).find(([of]) => of === part)?.[1],
  });
};
