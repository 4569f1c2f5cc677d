"""What a statement may call: functions of PostgreSQL that compute and do nothing else."""

from __future__ import annotations

FUNCTIONS = frozenset(
    """
    abs acos age any_value array array_agg array_append array_cat array_dims array_length array_lower
    array_ndims array_position array_positions array_prepend array_remove array_replace
    array_reverse array_sort array_to_json array_to_string array_upper asin atan atan2 avg bit_and
    bit_count bit_length bit_or bit_xor bool_and bool_or btrim cardinality cast cbrt ceil ceiling
    char_length character_length coalesce concat concat_ws corr cos cot count covar_pop covar_samp
    cume_dist current_date current_time current_timestamp date date_add date_bin date_part
    date_subtract date_trunc daterange degrees dense_rank div every exp extract family first_value
    floor format gcd generate_series generate_subscripts greatest grouping host initcap int4range
    int8range isempty isfinite json_agg json_array_elements json_array_elements_text
    json_array_length json_build_array json_build_object json_each json_each_text json_extract_path
    json_extract_path_text json_object json_object_agg json_object_keys json_query json_strip_nulls
    json_to_record json_to_recordset json_typeof json_value json_exists json_array json_arrayagg
    json_objectagg jsonb_agg jsonb_array_elements jsonb_array_elements_text jsonb_array_length
    jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path
    jsonb_extract_path_text jsonb_object jsonb_object_agg jsonb_object_keys jsonb_path_exists
    jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_pretty
    jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof justify_days justify_hours
    justify_interval lag last_value lcm lead least left length ln localtime localtimestamp log log10
    lower lower_inc lower_inf ltrim make_date make_interval make_time make_timestamp
    make_timestamptz masklen max md5 min min_scale mod mode multirange network now nth_value ntile
    nullif num_nonnulls num_nulls numnode numrange octet_length overlay percent_rank percentile_cont
    percentile_disc phraseto_tsquery pi plainto_tsquery position power radians range_agg
    range_intersect_agg range_merge rank regexp_count regexp_instr regexp_like regexp_match
    regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr
    regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
    replace reverse right round row row_number row_to_json rtrim scale sign sin split_part sqrt
    starts_with statement_timestamp stddev stddev_pop stddev_samp string_agg string_to_array
    string_to_table strpos substr substring sum tan timezone to_char to_date to_json to_jsonb
    to_number to_timestamp to_tsquery to_tsvector transaction_timestamp translate trim trim_array
    trim_scale trunc ts_headline ts_rank ts_rank_cd tsrange tstzrange unnest upper upper_inc
    upper_inf var_pop var_samp variance websearch_to_tsquery width_bucket
    """.split()  # noqa: SIM905 - hundreds of quoted names are harder to read
)
"""No settings, files, sleep, locks, sequences, sessions, large objects or SQL in strings. `repeat`, `lpad`
and their like are left out: they make big values of small ones. So are `chr` and `decode`, which write a text
in numbers, and `random`, which makes evidence that nobody can find again."""

SYNTAX = frozenset(
    """
    And Or Xor Not Case If Cast TryCast Exists Extract CurrentDate CurrentTime CurrentTimestamp
    Localtime Localtimestamp GroupConcat Unnest Explode Array Coalesce JSONExtract JSONExtractScalar
    JSONBExtract JSONBExtractScalar JSONBContains JSONBContainsAnyTopKeys JSONBContainsAllTopKeys
    JSONBDeleteAtPath JSONArrayContains ArrayContainsAll ArrayContainedBy ArrayOverlaps RegexpLike
    RegexpILike StrPosition Substring Trim Overlay Round Pow Concat DPipe SafeDPipe Date Ceil Floor
    TimestampTrunc Sum Count AtTimeZone Struct Map List MatchAgainst JSONTable JSONColumnDef
    JSONArrayAgg JSONObject JSONObjectAgg JSONKeyValue
    """.split()  # noqa: SIM905 - as above
)
"""Syntax that the parser represents as a function node without keeping a name for it."""
