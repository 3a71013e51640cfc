-- One row a damage that is found; a single row 'ok' where there is none.
pragma integrity_check
