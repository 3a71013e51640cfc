-- One row is a brand that belongs to the removed workspace in some tracking of the lake, and to no other workspace in any.
-- One that ever moved is another customer's too: its runs are in that customer's documents.
-- Needs lake_brand.
select id from lake_brand group by id having bool_and(workspace_id = $workspace::uuid)
