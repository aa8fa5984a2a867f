import { recent } from "./recent.ts";

const dayMilliseconds = 86_400_000;
/** No zone changes its offset within a quarter of an hour. */
const quarter = 15 * 60_000;
const months = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

/**
 * The calendar of a time zone. A day is text such as `2026-11-01`, a month `2026-11`; times are milliseconds since
 * 1970.
 */
export class TimeZone {
  readonly name: string;
  readonly #clock: Intl.DateTimeFormat;
  /** Offsets by quarter of an hour. */
  readonly #known = recent<number, number>(1_000);

  /** Throws a `RangeError` for a name that is no time zone. */
  constructor(name: string) {
    this.name = name;
    // To write a date and a time too would take Node three times as long to prepare.
    this.#clock = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  }

  /** The day of a time. */
  dayOf(at: number): string {
    return this.#local(at).slice(0, 10);
  }

  /** The month of a time. */
  monthOf(at: number): string {
    return this.#local(at).slice(0, 7);
  }

  /** ISO 8601 to the millisecond, with the offset of the zone. */
  isoOf(at: number): string {
    const minutes = Math.round(this.#offsetAt(at) / 60_000);
    const two = (number: number) => String(Math.floor(Math.abs(number))).padStart(2, "0");
    return `${this.#local(at).slice(0, -1)}${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
  }

  /** The same without milliseconds. */
  isoSecondOf(at: number): string {
    return this.isoOf(at).replace(/\.\d+/, "");
  }

  /** As people read it: to the minute or to the second, and how far the zone is ahead of UTC. */
  textOf(at: number, isToSecond = false): string {
    const iso = this.isoOf(at);
    const offset = iso
      .slice(23)
      .replace(":00", "")
      .replace(/^[+-]00$/, "Z");
    return `${iso.slice(0, 10)} ${iso.slice(11, isToSecond ? 19 : 16)}${offset}`;
  }

  /**
   * The shortest text that a person reads right at `now`: a clock today, the day too in the same year, the year and no
   * clock in one before. The zone stands once, elsewhere.
   */
  shortOf(at: number, now: number, isToSecond = false): string {
    const [iso, today] = [this.isoOf(at), this.dayOf(now)];
    const clock = iso.slice(11, isToSecond ? 19 : 16);
    if (iso.startsWith(today)) return clock;
    const year = iso.slice(0, 4);
    if (year === today.slice(0, 4)) return `${shortDay(iso.slice(0, 10))} ${clock}`;
    return `${shortDay(iso.slice(0, 10))} ${year}${year > today ? ` ${clock}` : ""}`;
  }

  /** Such as "Lagos time (UTC+1)". */
  nameAt(at: number): string {
    if (this.name === "UTC") return "UTC";
    const offset = this.isoOf(at)
      .slice(23)
      .replace(/^([+-])0?/, "$1")
      .replace(":00", "");
    return `${this.name.split("/").at(-1)!.replaceAll("_", " ")} time (UTC${offset})`;
  }

  /** The first moment of a day, which is not midnight where a clock is set forward at midnight. */
  startOfDay(day: string): number {
    return this.atClock(Date.parse(`${day}T00:00:00Z`));
  }

  startOfMonth(month: string): number {
    return this.startOfDay(`${month}-01`);
  }

  /**
   * The time at which the clocks of the zone show what a clock in UTC shows at `shown`; the first one if there are two.
   */
  atClock(shown: number): number {
    const times = [-dayMilliseconds, dayMilliseconds].map((shift) => shown - this.#offsetAt(shown + shift));
    return times.sort((one, other) => one - other).find((at) => at + this.#offsetAt(at) >= shown) ?? times[1]!;
  }

  /** A period cut where the zone's clocks change. `offset`: the milliseconds that they are ahead of UTC. */
  steadyParts(from: number, to: number): { from: number; to: number; offset: number }[] {
    const parts = [{ from, to, offset: this.#offsetAt(from) }];
    for (let before = from; before < to; before += dayMilliseconds) {
      const after = Math.min(before + dayMilliseconds, to);
      const last = parts.at(-1)!;
      if (this.#offsetAt(after) === last.offset) continue;
      const change = this.#changeBetween(before, after);
      last.to = change;
      parts.push({ from: change, to, offset: this.#offsetAt(after) });
    }
    return parts.filter((part) => part.from < part.to);
  }

  /** The first moment of the offset that is in force at `after`. */
  #changeBetween(before: number, after: number): number {
    let [low, high] = [Math.floor(before / quarter), Math.floor(after / quarter)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetAt(middle * quarter) === this.#offsetAt(after)) high = middle;
      else low = middle;
    }
    return high * quarter;
  }

  #local(at: number): string {
    return new Date(at + this.#offsetAt(at)).toISOString();
  }

  /** Milliseconds that the zone's clocks are ahead of UTC. */
  #offsetAt(at: number): number {
    const begins = Math.floor(at / quarter) * quarter;
    const known = this.#known.get(begins);
    if (known !== undefined) return known;
    const [, sign, ...clock] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(this.#clock.format(begins))!;
    const [hours, minutes, seconds] = clock.map((text) => Number(text ?? 0));
    const offset = (sign === "-" ? -1 : 1) * ((hours! * 60 + minutes!) * 60 + seconds!) * 1000;
    this.#known.set(begins, offset);
    return offset;
  }
}

/** Undefined for a name that is no time zone. */
export function timeZone(name: string): TimeZone | undefined {
  try {
    return new TimeZone(name);
  } catch {
    return undefined;
  }
}

/** "18 Nov" of `2026-11-18`. */
export function shortDay(day: string): string {
  return `${Number(day.slice(8))} ${months[Number(day.slice(5, 7)) - 1]!.slice(0, 3)}`;
}

/** "November 2026" of `2026-11`. */
export function monthName(month: string): string {
  return `${months[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`;
}

/** "14 November 2026" of `2026-11-14`. */
export function longDay(day: string): string {
  return `${Number(day.slice(8))} ${monthName(day.slice(0, 7))}`;
}

/** "Thursday 1 October" of `2026-10-01`. */
export function weekday(day: string): string {
  const name = new Date(`${day}T00:00:00Z`).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });
  return `${name} ${longDay(day).slice(0, -5)}`;
}

/** Whether a text is a day of the calendar, such as `2026-11-01`. */
export function isDay(text: string): boolean {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse may read 30 February as 2 March.
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text);
}

/** Whether a text is a month, such as `2026-11`. */
export function isMonth(text: string): boolean {
  return isDay(`${text}-01`);
}

export function nextDay(day: string): string {
  return dayAfter(day, 1);
}

/** The day that is so many days later. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMilliseconds).toISOString().slice(0, 10);
}

export function nextMonth(month: string): string {
  const next = new Date(`${month}-01T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return next.toISOString().slice(0, 7);
}
