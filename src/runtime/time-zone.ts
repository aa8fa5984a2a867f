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

  /** Throws a `RangeError` for a name that is no time zone. */
  constructor(name: string) {
    this.name = name;
    this.#at(0);
  }

  /** The day of a time. */
  dayOf(at: number): string {
    return this.#at(at).toPlainDate().toString();
  }

  /** The month of a time. */
  monthOf(at: number): string {
    return this.dayOf(at).slice(0, 7);
  }

  /** ISO 8601 to the millisecond, with the offset of the zone. */
  isoOf(at: number): string {
    return this.#at(at).toString({ smallestUnit: "millisecond", timeZoneName: "never" });
  }

  /** ISO 8601 to the second, with the offset of the zone. */
  isoSecondOf(at: number): string {
    return this.#at(at).toString({ smallestUnit: "second", timeZoneName: "never" });
  }

  /** Formats a time for people, to the minute or to the second, with the zone's difference from UTC. */
  textOf(at: number, isToSecond = false): string {
    const iso = this.isoOf(at);
    const offset = iso
      .slice(23)
      .replace(":00", "")
      .replace(/^[+-]00$/, "Z");
    return `${iso.slice(0, 10)} ${iso.slice(11, isToSecond ? 19 : 16)}${offset}`;
  }

  /**
   * Formats a time as short as a person can read it without error at `now`. Today: only the clock. This year: day and
   * clock. Earlier years: the day with its year, without a clock. Later years: day, year and clock. The zone must be
   * shown once elsewhere.
   */
  shortOf(at: number, now: number, isToSecond = false): string {
    const [iso, today] = [this.isoOf(at), this.dayOf(now)];
    const clock = iso.slice(11, isToSecond ? 19 : 16);
    if (iso.startsWith(today)) return clock;
    const year = iso.slice(0, 4);
    if (year === today.slice(0, 4)) return `${shortDay(iso.slice(0, 10))} ${clock}`;
    return `${shortDay(iso.slice(0, 10))} ${year}${year > today ? ` ${clock}` : ""}`;
  }

  /** The name of the zone for people, such as "Lagos time (UTC+1)". */
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
    return Temporal.PlainDate.from(day).toZonedDateTime(this.name).epochMilliseconds;
  }

  startOfMonth(month: string): number {
    return this.startOfDay(`${month}-01`);
  }

  /**
   * The time at which the clocks of the zone show the same reading as a UTC clock at `shown`; the first of two such
   * times.
   */
  atClock(shown: number): number {
    const clock = Temporal.Instant.fromEpochMilliseconds(shown).toZonedDateTimeISO("UTC").toPlainDateTime();
    return clock.toZonedDateTime(this.name).epochMilliseconds;
  }

  /**
   * Cuts a period where the zone's clocks change. `offset`: the milliseconds by which these clocks are ahead of UTC.
   */
  steadyParts(from: number, to: number): { from: number; to: number; offset: number }[] {
    const parts = [];
    for (let at = from; at < to; ) {
      const begins = this.#at(at);
      const change = begins.getTimeZoneTransition("next")?.epochMilliseconds ?? to;
      const ends = Math.min(change, to);
      parts.push({ from: at, to: ends, offset: begins.offsetNanoseconds / 1_000_000 });
      at = ends;
    }
    return parts;
  }

  #at(at: number): Temporal.ZonedDateTime {
    return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(this.name);
  }
}

/** Returns the zone with this name; undefined for a name that is no time zone. */
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
  // Throwing an error is slow, and a page checks every text of a long list.
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
}

/** Whether a text is a month, such as `2026-11`. */
export function isMonth(text: string): boolean {
  return isDay(`${text}-01`);
}

export function nextDay(day: string): string {
  return dayAfter(day, 1);
}

/** Returns the day that is this many days later. */
export function dayAfter(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

export function nextMonth(month: string): string {
  return Temporal.PlainYearMonth.from(month).add({ months: 1 }).toString();
}
