// The scripts in dist/cjs are CommonJS, so the folder gets a package.json that says so, and types for TypeScript.
import { copyFileSync, readdirSync, writeFileSync } from "node:fs";

writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');
for (const file of readdirSync("dist")) if (file.endsWith(".d.ts")) copyFileSync(`dist/${file}`, `dist/cjs/${file}`);
