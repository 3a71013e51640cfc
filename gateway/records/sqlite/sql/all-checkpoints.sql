-- One row is a checkpoint with all columns.
select * from checkpoints
