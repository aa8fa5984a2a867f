import { duration } from "../../declare/duration.ts";
import { setting } from "../../declare/setting.ts";

const urls = {
  default: "",
  form: "empty, or URLs with a space between them, each of which begins with https:// or http://",
  read: (text: string) => {
    const all = text.split(/\s+/).filter(Boolean);
    return all.every((url) => /^https?:\/\/\S+$/.test(url)) ? all : undefined;
  },
  secret: true,
};

const ofRank = (rank: 1 | 2 | 3, hits: string) =>
  setting({
    ...urls,
    name: `DUBA_ALARM_URL_${rank}`,
    about: `Where Duba says, besides DUBA_ALARM_URL, that an alarm of rank ${rank} begins or ends: one that ${hits}.`,
  });

/** Settings about the receivers of alarms. */
export const alarmSettings = {
  alarmUrl: setting({
    ...urls,
    name: "DUBA_ALARM_URL",
    about:
      'Where Duba says that an alarm begins or ends: a POST with {"text": ' +
      '"…"}, as chat services take it, and beside it the rank, since when, and a link to the console. Empty: ' +
      "nowhere. Several URLs have a space between them. The text has no personal data. The addresses must be public, " +
      "and https. `duba alarms test` tries them.",
  }),
  alarmUrl1: ofRank(1, "stops the service"),
  alarmUrl2: ofRank(2, "costs money"),
  alarmUrl3: ofRank(3, "waits for somebody"),
  alarmRepeat: setting({
    name: "DUBA_ALARM_REPEAT",
    default: "24h",
    about:
      "How long after an alarm began, and after each time that it was repeated, it is said again while it lasts and " +
      "nobody has acknowledged it. never: not at all.",
    form: 'a length of time, such as 4h, or "never"',
    read: (text) => (text === "never" ? Number.POSITIVE_INFINITY : duration.read(text) || undefined),
  }),
  runbookUrl: setting({
    name: "DUBA_RUNBOOK_URL",
    default: "",
    about: "Where people find your copy of RUNBOOK.md. Alarms then link to the section that they are about.",
    form: "empty, or a URL that begins with https:// or http://",
    read: (text) => (text === "" || /^https?:\/\/\S+$/.test(text) ? text : undefined),
  }),
};
