/*
claim: 'A blockchain that the platform API lists is the one that its transaction made: same name, subnet and virtual machine.'
protects: [raw.node_platform_blockchains, raw.node_containers_p_blockchains]
severity: warns
*/
SELECT p.blockchain_id, p.name, c.chain_name, p.subnet_id, c.subnet_id AS container_subnet_id, p.vm_id, c.vm_id AS container_vm_id
FROM raw.node_platform_blockchains AS p
JOIN raw.node_containers_p_blockchains AS c ON c.blockchain_id = p.blockchain_id
WHERE (in_new_loads(p._load_id) OR in_new_loads(c._load_id))
  AND (p.name <> c.chain_name OR p.subnet_id <> c.subnet_id OR p.vm_id <> c.vm_id)
