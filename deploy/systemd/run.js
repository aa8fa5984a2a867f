// Runs a command as the service's user, with the settings that systemd gives the service. Arguments: those of `duba`.
import { readFileSync } from "node:fs";

const settingsFile = "/etc/duba/settings";
const kept = /^(?:TERM|COLORTERM|NO_COLOR|LANG|LC_\w+|DUBA_URL|DUBA_API_KEY)$/;

/**
 * Reads a file as systemd reads an `EnvironmentFile`: see systemd.exec(5). Variables are not expanded, and a # in a
 * value stays in the value.
 */
export function readEnvironmentFile(text) {
  const values = {};
  const rest = text.replaceAll("\r\n", "\n");
  const line = /[ \t\n\r]*(?:[#;](?:\\[\s\S]?|[^\\\n])*(?:\n|$)|([^=\n]*)(?:=|\n|$))/y;
  const part = /[ \t\r]*(?:'([^']*)(?:'|$)|"((?:\\[\s\S]?|[^"\\])*)(?:"|$)|((?:\\[\s\S]?|[^\\\n])+))|[ \t\r]*(?:\n|$)/y;
  while (line.lastIndex < rest.length) {
    const [whole, name] = line.exec(rest);
    if (!whole.endsWith("=") || name === undefined) continue;
    part.lastIndex = line.lastIndex;
    let value = "";
    for (;;) {
      const [, single, double, plain] = part.exec(rest);
      if (single !== undefined) value += single;
      else if (double !== undefined)
        value += double.replaceAll(/\\([\s\S]?)/g, (all, next) =>
          next === "\n" ? "" : '"\\`$'.includes(next) ? next : all,
        );
      else if (plain !== undefined)
        value += plain
          .replace(/(?<!\\)[ \t\r]+$/, "")
          .replaceAll(/\\([\s\S]?)/g, (_, next) => (next === "\n" ? "" : next));
      else break;
    }
    line.lastIndex = part.lastIndex;
    if (/^[A-Za-z_]\w*$/.test(name.trimEnd())) values[name.trimEnd()] = value;
  }
  return values;
}

if (import.meta.main) {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name)));
  const home = "/var/lib/duba";
  const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const settings = readEnvironmentFile(readFileSync(settingsFile, "utf8"));
  process.chdir(home);
  process.umask(0o077);
  const command = ["-u", "duba", "--", process.execPath, "/opt/duba/bin/duba.js", ...process.argv.slice(2)];
  process.execve("/usr/sbin/runuser", ["runuser", ...command], { ...own, HOME: home, PATH: path, ...settings });
}
