// Builds the test server once for each state of its sources, and prints the path of the program.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const SOURCES = import.meta.dirname;
const CACHE = join(SOURCES, '../../../../node_modules/.cache/keyledger');
const FERRETDB = 'github.com/FerretDB/FerretDB';
/** Lines that keep FerretDB from standing in for a MongoDB, and their replacements. */
const MENDED = [
  {
    // FerretDB used the id only in queries for the id alone, and read the whole collection otherwise. Queries for rows
    // of read models have other fields as well. The server checks the other fields afterwards anyway.
    file: 'internal/backends/sqlite/collection.go',
    was: 'if params.Filter.Len() == 1 {',
    is: `if keys := keysAskedFor(params.Filter); len(keys) > 0 {
		whereClause = fmt.Sprintf(" WHERE %s->%q IN (?%s)", metadata.DefaultColumn, "key", strings.Repeat(", ?", len(keys)-1))
		args = keys
	} else if params.Filter.Len() >= 1 {`,
  },
  {
    file: 'internal/backends/sqlite/collection.go',
    was: '// newCollection creates a new Collection.',
    is: `// keysAskedFor returns the texts that the field named key may have.
func keysAskedFor(filter *types.Document) []any {
	v, _ := filter.Get("key")
	asked := []any{v}
	if operators, ok := v.(*types.Document); ok {
		in, _ := operators.Get("$in")
		list, ok := in.(*types.Array)
		if !ok || list.Len() > 30000 {
			return nil
		}
		asked = nil
		for i := range list.Len() {
			asked = append(asked, must.NotFail(list.Get(i)))
		}
	}
	for i, one := range asked {
		if _, ok := one.(string); !ok {
			return nil
		}
		asked[i] = string(must.NotFail(sjson.MarshalSingleValue(one)))
	}
	return asked
}

// newCollection creates a new Collection.`,
  },
  {
    // FerretDB created the index of ids under one spelling and searched another, so each update read the collection.
    file: 'internal/backends/sqlite/metadata/metadata.go',
    was: `IDColumn = DefaultColumn + "->'$._id'"`,
    is: 'IDColumn = DefaultColumn + `->"_id"`',
  },
  {
    // With several indexes, FerretDB used an index beyond the end of a shortened list, and ended the connection.
    file: 'internal/handler/msg_createindexes.go',
    was: 'filteredToCreate = slices.Delete(filteredToCreate, i, i+1)',
    is: `filteredToCreate = slices.DeleteFunc(filteredToCreate, func(index backends.IndexInfo) bool {
					return index.Name == newIdx.Name
				})`,
  },
  {
    // FerretDB held one connection for each update of a call until the last update was done. With more updates than
    // connections it stood still for ever.
    file: 'internal/handler/msg_update.go',
    was: 'result, err := common.UpdateDocument(ctx, c, "update", iter, &u)',
    is: 'result, err := common.UpdateDocument(ctx, c, "update", iter, &u)\n\t\tcloser.Close()',
  },
  {
    // FerretDB left the side files of a dropped database. The next database of the same name shared them with readers
    // of the dropped one, which ended the server or left a database without tables.
    file: 'internal/backends/sqlite/metadata/pool/pool.go',
    was: 'if err := os.Remove(f); err != nil {',
    is: '_ = os.Remove(f + "-wal")\n\t\t_ = os.Remove(f + "-shm")\n\t\tif err := os.Remove(f); err != nil {',
  },
];

const hash = createHash('sha256');
for (const file of ['go.mod', 'go.sum', 'main.go', 'door.go', 'build-ferretdb.mjs']) {
  hash.update(readFileSync(join(SOURCES, file)));
}
const program = join(CACHE, `ferretdb-${hash.digest('hex').slice(0, 16)}`);
if (!existsSync(program)) {
  mkdirSync(CACHE, { recursive: true });
  // Several processes may build the server at once. Each moves a complete program into place.
  const workplace = mkdtempSync(join(CACHE, 'building-'));
  try {
    const unfinished = join(workplace, 'ferretdb');
    run('go', 'build', '-modfile', withMended(workplace), '-o', unfinished, '.');
    renameSync(unfinished, program);
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
}
process.stdout.write(`${program}\n`);

/** Copies the module and corrects the copy. @returns a `go.mod` that uses the copy. */
function withMended(workplace) {
  run('go', 'mod', 'download', FERRETDB);
  const module = join(workplace, 'module');
  run('cp', '-R', run('go', 'list', '-m', '-f', '{{.Dir}}', FERRETDB).trim(), module);
  // Files copied from the module cache are read-only, and can be neither changed nor removed.
  run('chmod', '-R', 'u+w', module);
  for (const { file, was, is } of MENDED) {
    const path = join(module, file);
    const source = readFileSync(path, 'utf8');
    if (!source.includes(was)) throw new Error(`${file} is not what it was`);
    writeFileSync(path, source.replaceAll(was, is));
  }
  const modfile = join(workplace, 'go.mod');
  const original = readFileSync(join(SOURCES, 'go.mod'), 'utf8');
  writeFileSync(modfile, `${original}\nreplace ${FERRETDB} => ${module}\n`);
  copyFileSync(join(SOURCES, 'go.sum'), join(workplace, 'go.sum'));
  return modfile;
}

function run(command, ...args) {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd: SOURCES,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false' },
  });
  if (status !== 0) throw error ?? new Error(`${command} ${args[0]} ended with ${status}`);
  return stdout;
}
