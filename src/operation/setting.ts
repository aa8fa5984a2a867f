import { isClosed, isNetwork, widthOf } from "../runtime/network/address.ts";
import type { Limit } from "../runtime/rate-limiter.ts";

/** One setting of the service: an environment variable, its default, and how its text is read. */
export interface Setting<Value> {
  name: string;
  default: string;
  /** What it does, in plain sentences, for `docs/settings.md` and `.env.example`. */
  about: string;
  /** Describes a valid value: completes "NAME must be …". */
  form: string;
  /** Undefined for an invalid text. */
  read: (text: string) => Value | undefined;
  /** What the form does not tell about an invalid text, in sentences. */
  problemsIn?: (text: string) => string[];
  /** An operator may put a secret into a file, and its path into `NAME_FILE`. */
  secret?: boolean;
  /** A vendor's setting without which the vendor works too. */
  optional?: boolean;
  /** Only `duba call` reads it: the service ignores it. */
  onlyCall?: boolean;
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

export const duration = {
  form: "a length of time, such as 500ms, 20s, 5min or 24h",
  /** Milliseconds. */
  read: (text: string): number | undefined => {
    const parts = /^(\d{1,6})(ms|s|min|h|d)$/.exec(text);
    const units = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };
    return parts ? Number(parts[1]) * units[parts[2] as "s"] : undefined;
  },
};

/** A length of time of `least` or more. */
export const timeFrom = (least: string) => ({
  form: `a length of time of ${least} or more`,
  read: (text: string): number | undefined => {
    const milliseconds = duration.read(text);
    return milliseconds !== undefined && milliseconds >= duration.read(least)! ? milliseconds : undefined;
  },
});

/** A length of time above 0. */
export const someTime = { form: duration.form, read: (text: string) => duration.read(text) || undefined };

export const httpUrl = {
  form: "an http:// or https:// URL",
  /** Without a slash at its end. */
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

/** Networks of which each is a small part of the internet. */
export const narrowNetworks = {
  form: `${networks.form}, none wider than /8 (IPv6: /16)`,
  read: everyNetwork((entry) => widthOf(entry) >= (entry.includes(":") ? 16 : 8)),
};

export const privateNetworks = {
  form: "a comma-separated list of private IP addresses and networks, such as 10.0.0.0/8",
  read: everyNetwork(isClosed),
};

/** The same values, or empty, which reads as null. */
export const orNone = <Value>({ form, read }: Pick<Setting<Value>, "form" | "read">) => ({
  form: `${form}, or empty`,
  read: (text: string): Value | null | undefined => (text === "" ? null : read(text)),
});

type Part<Value> = Pick<Setting<Value>, "form" | "read"> & { usual: string };

/** Several values under one name, such as body=16KiB,url=8KiB. A part that the text does not name has its usual value. */
export function namedParts<Values extends Record<string, unknown>>(
  parts: { [Name in keyof Values]: Part<Values[Name]> },
) {
  const all = Object.entries<Part<unknown>>(parts);
  const usual = all.map(([name, { usual }]) => `${name}=${usual}`).join();
  return {
    default: usual,
    form: `parts such as ${usual}, each once: ${all.map(([name, { form }]) => `${name} is ${form}`).join("; ")}`,
    read(text: string): Values | undefined {
      const given = text.split(",").map((part) => {
        const [name = "", value = ""] = part.split("=", 2);
        return [name.trim(), value.trim()] as const;
      });
      const texts = new Map(given);
      const isFit = texts.size === given.length && given.every(([name]) => Object.hasOwn(parts, name));
      const values = all.map(([name, { usual, read }]) => [name, read(texts.get(name) ?? usual)] as const);
      if (!isFit || values.some(([, value]) => value === undefined)) return undefined;
      return Object.fromEntries(values) as Values;
    },
  };
}
