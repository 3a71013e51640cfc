-- One row is a defect of the file; a single row 'ok' if there is none.
pragma integrity_check
