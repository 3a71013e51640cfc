/* Command lines of the auditor and the operator; golden/ has what each prints. */

/** A file of this name cannot have another one next to it whose name is longer. */
const LONG = 'kept.'.repeat(48);

/**
 * In a folder with the store `store` and its lake, and the stores of storyPlaces that are named. `{a|b}` is a line with `a` and
 * one with `b`.
 */
export const stories: Record<string, string> = {
  help: `
    audit {list|show|verify|diff|rebuild|prune|keygen|withdraw|rotate|log|} --help
    audit log {complete|prove|key} --help
    audit {--version||shows|list --all}
  `,
  list: `
    audit list {|--json|--workspace $B|--workspace 99999999-3a6e-4f0f-9c57-0c8f7a5a1c09}
    audit list {--workspace nobody|--store nowhere|--store ftp://nowhere}
    mkdir empty
    audit list --store empty
    rm store/workspaces/$A/histories store/workspaces/$B/snapshots/20261116*/*.manifest.json
    audit list
  `,
  show: `
    audit show --workspace $A
    audit show previous --workspace $B
    audit show --json --workspace $A
    audit show
    audit show {--document brands|previous --document week|2026-11-04 --document week} --workspace $A
    audit show {2026-11-16 --document week|20261026 --document week --json|--as-of 2026-11-08 --document week} --workspace $A
    audit show {--table visibility|--table events|--table covers|--table visibility --document week} --workspace $A
    audit show --document sources {--brand Second|--brand 22222222-3A6E-4F0F-9C57-0C8F7A5A1C02} --workspace $A
    audit show --document {sources|sources --brand Third|cover} --workspace $A
    audit show {2026-01-01|2026-02-30|20261231|2026|--as-of 2026-01-01|--as-of monday|next} --workspace $A
    audit show 20261109 --workspace $B
    audit show current --workspace 99999999-3a6e-4f0f-9c57-0c8f7a5a1c09
    replace 2026 2062 store/workspaces/$A/snapshots/20261116*/brands.json
    audit show --document brands --workspace $A
  `,
  prove: `
    audit log prove previous --workspace $A
    cat 20261109T060000.000Z-*.tlog-proof
    audit log prove 2026-11-16 --workspace $B --out - --json
    audit log prove current --workspace $B --out nowhere/proof
    audit log prove --workspace $B
    rm store/log/tile/0/000.p/14
    audit log prove current --workspace $A --state none
  `,
  verify: `
    audit verify
    audit verify {--json|current --workspace $B --json|previous|--as-of 2026-11-09 --workspace $B}
    audit verify {2026-11-04 --workspace $A|2026-01-01 --workspace $A|--workspace $A|--store nowhere}
    audit verify {current|} --workspace 99999999-3a6e-4f0f-9c57-0c8f7a5a1c09
    audit verify --read-data-subset {2/3|today/7|3/3 --workspace $A|5/4|0/4}
    audit verify --not-older-than {5d|4d|4}
    audit verify --checkpoint {store/log/checkpoint|later/log/checkpoint|no.note}
    audit verify --checkpoint fork/log/checkpoint --store later
    mkdir empty
    audit verify --store empty {|--allow-empty|--allow-empty --checkpoint store/log/checkpoint}
    audit verify --workspace $B --checkpoint later/log/checkpoint
    audit verify current --workspace $B --checkpoint later/log/checkpoint
    AT=2026-11-16T06:55:00Z audit verify --workspace $B
    AT=2026-11-16T06:54:59Z audit verify --workspace $B
    LOG_ORIGIN=other.example/log audit verify
    LOG_ORIGIN= audit verify --workspace $B
    audit verify --metrics-file verify.prom
    cat verify.prom
    audit verify --metrics-file part.prom --workspace $A
    ls *.prom
    replace 2026 2062 store/workspaces/$A/snapshots/20261109*/brands/*/*.json
    audit verify --read-data-subset {1/2|2/2}
    audit verify --workspace $B
    replace 2026 2062 store/workspaces/$A/snapshots/20261116*/tables/visibility.json
    audit verify --read-data-subset 1/2 --metrics-file verify.prom
    cat verify.prom
  `,
  state: `
    cp store older
    audit list --workspace $B
    cat states/sightline/logs/*.checkpoint
    rm store
    cp later store
    audit list --workspace $B
    cat states/sightline/logs/*.checkpoint
    rm store
    cp fork store
    audit {list|show --workspace $A|diff --workspace $A|log prove current --workspace $A|verify}
    cat states/sightline/logs/*.checkpoint.refused-*
    audit list --state none --workspace $B
    LOG_ORIGIN= audit {verify|list --workspace $B|verify|list --workspace $B} --state kept.note --store later
    LOG_ORIGIN= audit {verify|list --workspace $B} --state kept.note --store fork
    LOG_ORIGIN= audit {verify|list --workspace $B} --state kept.note --store longer
    LOG_ORIGIN= audit {verify|list --workspace $B} --state kept.note --store older
    LOG_ORIGIN= audit {verify|list --workspace $B} --state kept.note --store other
    cat kept.note
    audit verify --state grown.note --store {fork|longer}
    cp kept.note ${LONG}
    LOG_ORIGIN= audit list --state ${LONG} --store fork
    audit verify --state older.note --store older --workspace $A
    audit verify --state {.kept|s3://bucket|folder/}
    write x kept.note
    audit verify --state kept.note
    audit list --state kept.note
  `,
  prune: `
    audit prune --keep 1
    AT=2026-11-16T06:54:59Z audit prune --keep 1
    audit prune --keep 0
    audit prune --keep 2026-02-30
    audit prune
    audit prune --keep 1 --workspace 99999999-3a6e-4f0f-9c57-0c8f7a5a1c09
    SIGNING_KEY_FILE= audit prune --keep 1
    AT=2027-01-15T07:00:01Z audit prune --keep 1 --yes
    AT=2027-01-15T07:00:00Z audit prune --keep 9 --yes
    AT=2026-11-16T06:54:59Z audit prune --keep 9 --yes
    AT=2026-11-16T06:55:00Z audit withdraw 20261026 --reason mistaken --workspace $A
    cp store before
    audit prune --keep 2 2026-10-27 --yes
    audit list
    audit verify
    audit show 20261102 --workspace $A --document brands
    audit show 2026-11-02 --workspace $A
    audit withdraw --all-lost --reason lost --workspace $A
    cp before/workspaces/$A/snapshots store/workspaces/$A/snapshots
    audit verify --workspace $A
    audit prune --keep 2 2026-10-27 --workspace $A --yes --json
    ls store/workspaces/$A/snapshots/20261102*/**
    write altered store/workspaces/$B/snapshots/20261109*/brands.json
    write x store/stray.txt
    audit prune --keep 1
    AT=2027-01-15T07:00:01Z audit prune --keep 1 --yes --accept-clock
    audit verify
    write x store/log/tile/0/000.p/14
    audit prune --keep 3
  `,
  withdraw: `
    audit withdraw current --reason mistaken
    audit withdraw {--reason mistaken|current --all --reason removed|--all-lost --reason mistaken} --workspace $A
    audit withdraw {current --reason removed|--all --reason lost|current --reason wrong|current} --workspace $A
    audit withdraw {current --reason lost|--all-lost --reason lost|2020-01-01 --reason mistaken} --workspace $A
    rm store/workspaces/$A/snapshots/20261102*/brands.json
    replace 2026 2062 store/workspaces/$A/snapshots/20261116*/*.manifest.json
    audit withdraw --all-lost --reason lost --workspace $A
    audit withdraw current --reason mistaken --workspace $A
    audit list --workspace $A
    audit verify
    audit show {2026-11-10|2026-11-20} --workspace $A --document week
    audit show 20261109 --workspace $A --document week
    audit withdraw 20261116 --reason lost --workspace $A
    rm store/workspaces/$A/snapshots/20261109*/brands.json store/inputs/*
    audit verify
    audit withdraw 20261109 --reason lost --workspace $A --json
    rm store/workspaces/$B/snapshots
    audit withdraw --all-lost --reason lost --workspace $B
    audit withdraw current --reason lost --workspace $B
    audit withdraw --all-lost --reason lost --workspace 99999999-3a6e-4f0f-9c57-0c8f7a5a1c09
  `,
  removed: `
    cp store/workspaces/$A/snapshots/20261116* store/workspaces/$A/snapshots/20270101T000000.000Z-0123456789abcdef
    write x store/workspaces/$A/Thumbs.db
    audit verify
    audit withdraw --all --reason removed --workspace $A
    ls store/workspaces/$A/**
    audit withdraw --all --reason removed --workspace $A --json
    audit list
    audit show --workspace $A
    audit verify
    cp later/workspaces/$A/snapshots store/workspaces/$A/snapshots
    audit verify
  `,
  complete: `
    audit log complete
    rm store/heads/* store/log/tile/0/000.p/14 store/workspaces/$A/histories
    replace publications x store/workspaces/$B/histories/* store/log/tile/0/000.p/12
    write x store/log/tile/entries/000.p/14
    audit list --state none
    audit log complete
    audit verify
    rm store/workspaces/$A/snapshots/20261116*/*.manifest.json store/workspaces/$A/snapshots/20261109*/week.json store/inputs/*
    replace 2026 2062 store/workspaces/$A/snapshots/20261102*/brands.json store/workspaces/$A/snapshots/20261026*/*.manifest.json
    audit log complete --from later --json
    audit verify
    rm store/log
    audit log complete --json
    audit log complete {--from nowhere|--from ftp://nowhere|--from later --from-store|--checkpoint kept}
    audit log complete --lake-is-lost
    LOG_ORIGIN=other.example/log audit prune --keep 1
    audit prune --keep 1 --yes --store other
    rm store
    cp fork store
    audit log complete
    audit log complete --from-store --checkpoint later/log/checkpoint
    replace 1.0 2.0 store/log/tile/entries/000.p/16
    audit log complete --from-store
    rm store
    cp later store
    replace sightline sigitline store/log/checkpoint
    audit log complete
    cp store older
    audit withdraw current --workspace $B --reason mistaken
    rm store
    cp older store
    audit log complete --from-store
    audit prune --keep 3 --yes
    audit log complete
  `,
  'lost-lake': `
    rm lake/log
    audit log complete
    audit prune --keep 1
    mkdir empty
    audit log complete --from-store --store empty
    audit log complete --from-store
    audit log complete --from-store --checkpoint later/log/checkpoint
    LOG_ORIGIN=other.example/log audit log complete --from-store
    audit log complete --from-store --checkpoint store/log/checkpoint --lake-is-lost
    audit log complete
    audit verify
    write x lake/log/*/committed.json
    audit prune --keep 1
    rm lake/lake.txt
    audit log complete
  `,
  many: `
    audit show
    audit show 20260105 --workspace 0b5ef0a4-3a6e-4f0f-9c57-000000000000 --table visibility
  `,
  diff: `
    audit diff
    audit diff {--all --brand 0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c01|--label "models changed" --json}
    audit diff {--brand Acme --label "insufficient data"|--brand Quiet|current previous|current current}
    audit diff --as-of {2026-02-23 2026-03-02 --brand Acme --label moved|2026-02-23|2026-02}
    audit diff {--as-of 2026-02-23 2026-03-02 2026-03-09|--label changed|--brand Unknown|previous}
  `,
  keys: `
    audit keygen --out keys/next
    ls keys/*
    audit keygen --out keys/next
    rm keys/next.private.pem
    audit keygen --out keys/next
    ls keys/*
    rm keys
    write x file
    audit keygen --out keys/next --json
    audit keygen --out file/next
    audit keygen
    audit log key
    LOG_ORIGIN= audit log key
    LOG_ORIGIN=a+b audit log key
    LOG_ORIGIN= audit log key --store s3://bucket
    PUBLIC_KEY_FILE= audit log key
    PUBLIC_KEY_FILE= PUBLIC_KEY=$ONE_LINE audit verify --workspace $B
    audit rotate --to keys/next.public.pem
    audit rotate
    cp store older
    audit rotate --to keys/next.private.pem
    PUBLIC_KEY_FILE=keys/next.public.pem audit verify --store older
    AT={2026-11-25T07:00:00Z|2026-11-26T07:00:00Z} audit verify --not-older-than 9d --workspace $B
    audit prune --keep 1 --yes
    audit log complete
    audit log complete --from-store
    PUBLIC_KEY_FILE=keys/next.public.pem audit verify --workspace $B
    audit prune --keep 1
    SIGNING_KEY_FILE=keys/next.private.pem audit withdraw current --workspace $A --reason mistaken
    audit verify --workspace $B
    write x text.pem
    audit verify --workspace $B --public-key text.pem
    audit verify --workspace $B --public-key $PUBLIC --public-key keys/next.public.pem
    audit verify --workspace $B --public-key no.pem
    audit verify --workspace $B --public-key keys/next.private.pem
    write $X25519 x25519.pem
    audit verify --workspace $B --public-key x25519.pem
    PUBLIC_KEY=x audit verify
    PUBLIC_KEY_FILE= PUBLIC_KEY=x audit verify
    SIGNING_KEY_FILE=text.pem audit prune --keep 1
    audit rotate --to $PRIVATE --old-key-is-lost --json
    audit rotate --to $PRIVATE --old-key-is-lost
    mkdir empty
    rm lake/log
    audit rotate --to keys/next.private.pem --store empty
    audit {list|show|verify} --store empty
  `,
};

/** On the frozen store and lake, of an earlier version: with a document gone or altered, then without some inputs. */
export const rebuildStory = `
  audit verify
  audit rebuild --all current
  audit rebuild --threads 0
  audit rebuild 2020-01-01
  write process.kill(process.pid) die.mjs
  NODE_OPTIONS=--import=./die.mjs audit rebuild
  rm store/workspaces/*/snapshots/20261109*/brands.json
  replace Oscorp Other store/workspaces/*/snapshots/20261116*/week.json
  audit rebuild --as-of 2026-11-09 --repair --threads 1
  audit rebuild --threads 1
  rm store/workspaces/*/snapshots/20261109*/*.manifest.json lake/tracking/brands/*/*
  write x lake/runs/cycle=2026-11-13/b*
  audit rebuild --all
`;
