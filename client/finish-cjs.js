// The scripts in dist/cjs are CommonJS: a package.json beside them says so, and TypeScript wants types beside it too.
import { copyFileSync, readdirSync, writeFileSync } from "node:fs";

writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');
for (const file of readdirSync("dist")) if (file.endsWith(".d.ts")) copyFileSync(`dist/${file}`, `dist/cjs/${file}`);
