import { readFileSync, writeFileSync } from "node:fs";
import packageJson from "../package.json" with { type: "json" };
import { everySetting } from "../src/config/settings.ts";
import { openapi } from "../src/http/openapi/document.ts";
import { everyOperation } from "../src/wire.ts";

/** `npm run generate` writes the generated files; with `--check` it only says which of them are not as they should be. */
const readme = readFileSync("README.md", "utf8");
const generated: Record<string, string> = {
  "openapi.json": `${JSON.stringify(openapi(everyOperation, packageJson.version), null, 2)}\n`,
  ".env.example": environmentExample(),
  "README.md": readme.replace(
    /(<!-- settings -->\n)[\s\S]*?(\n<!-- \/settings -->)/,
    (_, start, end) => start + settingsTable() + end,
  ),
};

const check = process.argv.includes("--check");
for (const [file, text] of Object.entries(generated)) {
  if (read(file) === text) continue;
  if (check) {
    console.error(`${file} is not what the code says. Run: npm run generate`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`wrote ${file}`);
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function aboutOf({ name, about, secret }: (typeof everySetting)[number]): string {
  return secret ? `${about} Or ${name}_FILE: the path of a file that holds it.` : about;
}

function settingsTable(): string {
  const rows = everySetting.map(
    (setting) =>
      `| \`${setting.name}\` | ${setting.default ? `\`${setting.default}\`` : ""} | ${aboutOf(setting)} | ${setting.form} |`,
  );
  return ["| setting | default | what it does | form |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function environmentExample(): string {
  const entries = everySetting.map(
    (setting) => `# ${aboutOf(setting)}\n# ${setting.name} is ${setting.form}.\n#${setting.name}=${setting.default}\n`,
  );
  return `# Every setting of Duba with its default. Copy to .env, which npm start reads.\n\n${entries.join("\n")}`;
}
