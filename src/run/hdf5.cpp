// TrajectoryFile with the HDF5 library.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "hdf5_layout.hpp"

namespace holonom {

bool hdf5_available() { return true; }

namespace detail {

using namespace hdf5;

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto commit_interval = std::chrono::seconds(1);
// Of one row of chunks, all tables together: short runs make small files, long ones few chunks.
constexpr std::size_t least_chunk = std::size_t{32} << 10, best_chunk = std::size_t{512} << 10;
// Of a chunk of one table: so that one coordinate of a huge system can be read without all others.
constexpr std::size_t largest_chunk = std::size_t{1} << 20;

// The disk is full, and nothing was changed yet.
class NoRoom : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Dataset {
  std::string path;
  Handle type, id;
  std::size_t columns = 1, cell = 0;
  bool matrix = false;
  std::vector<std::byte> buffer;

  std::size_t row_bytes() const { return columns * cell; }
  // Chunks side by side, for a wide table.
  std::size_t chunks_across() const { return std::max<std::size_t>(1, (row_bytes() + largest_chunk - 1) / largest_chunk); }
  std::size_t chunk_columns() const { return std::max<std::size_t>(1, (columns + chunks_across() - 1) / chunks_across()); }
};

// Another process is writing. Such a lock does not hinder readers, who take locks of another kind.
bool locked_elsewhere(int fd) {
#ifdef F_OFD_SETLK
  struct flock lock {};
  lock.l_type = F_WRLCK;
  return fcntl(fd, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES);
#else
  return fd < 0;
#endif
}

// Room on the disk; an error of errno.h, or 0, also where there is no such call.
int allocate([[maybe_unused]] int fd, [[maybe_unused]] off_t begin, [[maybe_unused]] off_t bytes) {
#ifdef __APPLE__
  return 0;
#else
  return posix_fallocate(fd, begin, bytes);
#endif
}
bool no_room(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO; }

struct Descriptor {
  int fd;
  ~Descriptor() { ::close(fd); }
};

Handle file_access(H5F_libver_t oldest) {
  Handle access = plist(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, oldest, H5F_LIBVER_LATEST);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERSION_GE(1, 12, 0) && !H5_VERSION_GE(1, 12, 1))
  H5Pset_file_locking(access, false, true);  // a running simulation may be read
#endif
  // Metadata must reach the disk when a block is committed, and never between.
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  check(H5Pget_mdc_config(access, &cache), "configure the library");
  cache.evictions_enabled = false;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  check(H5Pset_mdc_config(access, &cache), "configure the library");
  return access;
}

}  // namespace

struct TrajectoryFile::Impl {
  std::string path;
  Handle file;
  int fd = -1;
  bool plain_superblock = false;
  std::vector<Dataset> sets;
  int index[tables], exact_index[tables];  // into sets, or −1
  std::size_t chunk_rows = 1, buffer_rows = 1;
  std::size_t written = 0, buffered = 0;  // rows in the file, rows in memory
  std::size_t committed_rows = 0;         // rows that readers see
  Clock::time_point committed = Clock::now();
  bool failed = false, abandoned = false;

  // ---- opening
  void open(const std::string& name, OpenMode mode) {
    path = name;
    prepare(mode);
    if (mode != OpenMode::append) {
      // The oldest superblock: newer ones carry a mark "open for writing", which a killed run would leave
      // behind, and which readers refuse.
      const hid_t made = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, file_access(H5F_LIBVER_EARLIEST));
      if (made < 0 || H5Fclose(made) < 0) throw InputError(path + ": the file cannot be written");
    }
    const hid_t opened = H5Fopen(path.c_str(), H5F_ACC_RDWR, file_access(H5F_LIBVER_V110));
    if (opened < 0) throw InputError(path + ": the file cannot be continued: it is no HDF5 file");
    file = Handle(opened, H5Fclose, "open the file");
    void* descriptor = nullptr;
    check(H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor), "find the file descriptor");
    fd = *static_cast<int*>(descriptor);
    refuse_if_locked(fd);
    H5F_info2_t info;
    check(H5Fget_info2(file, &info), "read the superblock");
    plain_superblock = info.super.version == 0;
  }
  // Everything that can be known before the library touches the file; it does not survive a full disk here.
  void prepare(OpenMode mode) const {
    const int flags = mode == OpenMode::append ? 0 : mode == OpenMode::create ? O_CREAT | O_EXCL : O_CREAT;
    constexpr mode_t permissions = 0666;
    const int probe = ::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, permissions);
    if (probe < 0) {
      const int error = errno;
      if (error == EEXIST) throw InputError(path + ": the file exists; use --force to overwrite it, or another name");
      if (mode == OpenMode::append && error == ENOENT) throw InputError(path + ": there is no such file to continue");
      throw InputError(path + ": the file cannot be written (" + std::strerror(error) + "; does the folder exist, and may you write there?)");
    }
    const Descriptor close_at_end{probe};
    refuse_if_locked(probe);
    if (mode == OpenMode::append) return;
    constexpr off_t header = off_t{64} << 10;
    const int error = allocate(probe, 0, header);
    if (!no_room(error)) return;
    if (mode == OpenMode::create) unlink(path.c_str());
    throw InputError(path + ": the file cannot be written (" + std::strerror(error) + ")");
  }
  void refuse_if_locked(int descriptor) const {
    if (locked_elsewhere(descriptor)) throw InputError(path + ": another run is writing to this file");
  }

  void declare(int* where, std::string name, Handle type, std::size_t columns, bool matrix) {
    *where = static_cast<int>(sets.size());
    Dataset& d = sets.emplace_back();
    d.path = std::move(name);
    d.cell = H5Tget_size(type);
    d.type = std::move(type);
    d.columns = columns;
    d.matrix = matrix;
  }

  static Handle native(hid_t type) { return {H5Tcopy(type), H5Tclose, "copy a type"}; }

  void declare_tables(const Labels& labels, bool sampled, Cell cell, std::size_t text_length) {
    std::fill(std::begin(index), std::end(index), -1);
    std::fill(std::begin(exact_index), std::end(exact_index), -1);
    declare(&index[step], "/step", native(H5T_NATIVE_INT64), 1, false);
    if (sampled) declare(&index[interpolated], "/interpolated", native(H5T_NATIVE_UINT8), 1, false);
    const std::size_t n = labels.coordinates.size(), m = labels.constraints.size(), k = labels.invariants.size();
    const struct {
      Table table;
      const char* name;
      std::size_t columns;
      bool matrix;
    } numbers[] = {{t, "t", 1, false}, {q, "q", n, true}, {p, "p", n, true}, {lambda, "lambda", m, true}, {energy, "energy", 1, false},
                   {position_residual, "position_residual", 1, false}, {hidden_residual, "hidden_residual", 1, false},
                   {invariants, "invariants", k, true}};
    for (const auto& x : numbers) {
      declare(&index[x.table], std::string("/") + x.name, native(cell == Cell::extended ? H5T_NATIVE_LDOUBLE : H5T_NATIVE_DOUBLE), x.columns, x.matrix);
      if (cell == Cell::text) declare(&exact_index[x.table], std::string("/exact/") + x.name, text_type(text_length), x.columns, x.matrix);
    }
  }

  std::size_t row_bytes() const {
    std::size_t sum = 0;
    for (const Dataset& d : sets) sum += d.row_bytes();
    return sum;
  }
  void choose_chunks(long expected_rows) {
    const auto rows = [&](std::size_t bytes) { return std::max<std::size_t>(1, bytes / row_bytes()); };
    const auto expected = expected_rows > 0 ? static_cast<std::size_t>(expected_rows) : rows(best_chunk);
    chunk_rows = std::clamp(expected, rows(least_chunk), rows(best_chunk));
  }
  void allocate_buffers() {
    buffer_rows = std::max<std::size_t>(1, best_chunk / row_bytes() / chunk_rows) * chunk_rows;
    for (Dataset& d : sets) d.buffer.resize(buffer_rows * d.row_bytes());
  }

  static Handle dataset_access() {
    // Without a cache of chunks, rows go to their place at once.
    Handle access = plist(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 0, 0, 1.0);
    return access;
  }
  void create_datasets() {
    const Handle links = plist(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    for (Dataset& d : sets) {
      // A table without columns is there all the same; only an unlimited extent may be zero.
      std::vector<hsize_t> now{0}, most{H5S_UNLIMITED}, chunk{chunk_rows};
      if (d.matrix) {
        now.push_back(d.columns);
        most.push_back(d.columns > 0 ? d.columns : H5S_UNLIMITED);
        chunk.push_back(d.chunk_columns());
      }
      const Handle create = plist(H5P_DATASET_CREATE);
      H5Pset_chunk(create, static_cast<int>(chunk.size()), chunk.data());
      H5Pset_obj_track_times(create, false);
      // Should a run be killed within a commit, rows of it may be missing: they then read as NaN, never as zero.
      const double nan = std::numeric_limits<double>::quiet_NaN();
      const int minus_one = -1;
      if (H5Tget_class(d.type) == H5T_FLOAT) H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, &nan);
      if (d.path == "/step") H5Pset_fill_value(create, H5T_NATIVE_INT, &minus_one);
      d.id = Handle(H5Dcreate2(file, d.path.c_str(), d.type, space(now, most), links, create, dataset_access()), H5Dclose, "make a dataset");
    }
  }
  void open_datasets() {
    std::size_t rows = std::numeric_limits<std::size_t>::max();
    for (Dataset& d : sets) {
      d.id = Handle(H5Dopen2(file, d.path.c_str(), dataset_access()), H5Dclose, "find a dataset");
      const Handle extent(H5Dget_space(d.id), H5Sclose, "read an extent"), create(H5Dget_create_plist(d.id), H5Pclose, "read properties");
      hsize_t size[2] = {0, 1}, chunk[2] = {1, 1};
      const bool matrix = H5Sget_simple_extent_ndims(extent) == 2;
      if (matrix != d.matrix) throw Failed(("find the expected shape of " + d.path).c_str());
      H5Sget_simple_extent_dims(extent, size, nullptr);
      if (size[1] != d.columns) throw Failed(("find the expected shape of " + d.path).c_str());
      H5Pget_chunk(create, 2, chunk);
      chunk_rows = chunk[0];
      rows = std::min(rows, static_cast<std::size_t>(size[0]));
    }
    // The tail of a commit that was cut short.
    while (rows > 0 && !whole(rows - 1)) --rows;
    keep(rows);
  }

  Dataset& set(Table table) { return sets[static_cast<std::size_t>(index[table])]; }

  // ---- reading back
  void read_row(Dataset& d, std::size_t row, hid_t as, void* out) const {
    const Handle from(H5Dget_space(d.id), H5Sclose, "read an extent"), to = space({d.columns});
    const hsize_t start[] = {row, 0}, count[] = {1, d.columns};
    check(H5Sselect_hyperslab(from, H5S_SELECT_SET, start, nullptr, count, nullptr), "select a row");
    check(H5Dread(d.id, as, to, from, H5P_DEFAULT, out), "read a row");
  }
  bool whole(std::size_t row) {
    std::int64_t steps = -1;
    read_row(set(step), row, H5T_NATIVE_INT64, &steps);
    if (steps < 0) return false;
    for (const Table table : {t, q, p, energy}) {
      std::vector<double> values(set(table).columns);
      if (values.empty()) continue;
      read_row(set(table), row, H5T_NATIVE_DOUBLE, values.data());
      if (std::ranges::any_of(values, [](double x) { return std::isnan(x); })) return false;
    }
    return true;
  }
  double time(std::size_t row) {
    double x = 0;
    read_row(set(t), row, H5T_NATIVE_DOUBLE, &x);
    return x;
  }

  // ---- writing
  void set_rows(std::size_t rows) {
    for (Dataset& d : sets) {
      const hsize_t size[] = {rows, d.columns};
      check(H5Dset_extent(d.id, size), "extend a dataset");
    }
  }
  void keep(std::size_t rows) {
    set_rows(rows);
    written = rows;
    commit();
  }

  // Room for the next chunks, asked for before anything changes: a full disk is then noticed while the
  // file is whole.
  void reserve() const {
    const auto blocks = [&](std::size_t rows) { return (rows + chunk_rows - 1) / chunk_rows; };
    const std::size_t fresh = blocks(written + buffered) - blocks(written);
    if (fresh == 0) return;
    constexpr std::size_t metadata = std::size_t{128} << 10;
    std::size_t bytes = metadata;
    for (const Dataset& d : sets) bytes += fresh * chunk_rows * d.chunk_columns() * d.chunks_across() * d.cell;
    hsize_t end = 0;
    check(H5Fget_filesize(file, &end), "measure the file");
    const int error = allocate(fd, static_cast<off_t>(end), static_cast<off_t>(bytes));
    if (no_room(error)) throw NoRoom(std::strerror(error));
  }

  void write_rows() {
    if (buffered == 0) return;
    reserve();
    set_rows(written + buffered);
    for (const Dataset& d : sets) {
      if (d.columns == 0) continue;
      const Handle to(H5Dget_space(d.id), H5Sclose, "read an extent");
      const hsize_t start[] = {written, 0}, count[] = {buffered, d.columns};
      check(H5Sselect_hyperslab(to, H5S_SELECT_SET, start, nullptr, count, nullptr), "select rows");
      // Of the shape of the selection: otherwise the library goes from number to number.
      const Handle from = d.matrix ? space({buffered, d.columns}) : space({buffered});
      check(H5Dwrite(d.id, d.type, from, to, H5P_DEFAULT, d.buffer.data()), "write rows");
    }
    written += buffered;
    buffered = 0;
  }

  void commit() {
    grow_file();
    check(H5Fflush(file, H5F_SCOPE_LOCAL), "write the file");
    committed = Clock::now();
    committed_rows = written;
  }
  // The library writes the new end of the file last of all, and until then refuses to read what lies
  // behind the old one. So we write it first: 8 bytes, little-endian, at a place that the format fixes.
  void grow_file() const {
    constexpr off_t end_of_file_address = 40;
    hsize_t end = 0;
    check(H5Fget_filesize(file, &end), "measure the file");
    struct stat now {};
    if (!plain_superblock || fstat(fd, &now) != 0) return;
    if (static_cast<hsize_t>(now.st_size) < end && ftruncate(fd, static_cast<off_t>(end)) != 0) throw Failed("extend the file");
    unsigned char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(end >> (8 * i));
    if (pwrite(fd, bytes, sizeof bytes, end_of_file_address) != sizeof bytes) throw Failed("write the superblock");
  }

  // Runs what writes. If that fails, the file stays as it was at the last commit.
  template <class F>
  void guarded(F&& f) {
    const Quiet quiet;
    std::string why;
    try {
      f();
      return;
    } catch (const NoRoom& e) {
      why = e.what();
      try {
        commit();
      } catch (const Failed&) {
        abandon();
      }
    } catch (const Failed& e) {
      why = std::string("could not ") + e.what();
      abandon();
    }
    failed = true;
    buffered = 0;
    throw InputError(path + ": writing failed (" + why + "); " + std::to_string(committed_rows) + " rows are kept");
  }
  // The library would write what it still holds when the file is closed, and so spoil it: it shall write
  // elsewhere. After a failed flush it needs two more to recover (and crashes at exit otherwise).
  void abandon() {
    abandoned = true;
    std::FILE* elsewhere = std::tmpfile();
    if (!elsewhere) elsewhere = std::fopen("/dev/null", "r+");
    if (!elsewhere || fd < 0) return;
    dup2(fileno(elsewhere), fd);
    std::fclose(elsewhere);
    for (int tries = 0; tries < 3 && H5Fflush(file, H5F_SCOPE_LOCAL) < 0; ++tries) continue;
  }

  // Gives back the room that was reserved and not needed.
  ~Impl() {
    hsize_t end = 0;
    if (!abandoned && file >= 0 && H5Fget_filesize(file, &end) >= 0) (void)!ftruncate(fd, static_cast<off_t>(end));
  }
};

TrajectoryFile::TrajectoryFile(const std::string& path, const Labels& labels, const Provenance& about, const std::string& precision, Cell cell,
                               std::size_t text_length, OpenMode mode)
    : impl_(std::make_unique<Impl>()) {
  const Quiet quiet;
  try {
    impl_->open(path, mode);
    impl_->declare_tables(labels, !about.sample.empty(), cell, text_length);
    if (mode == OpenMode::append) {
      require_same_run(impl_->file, path, labels, about, precision);
      impl_->open_datasets();
      t0_ = read_attribute(impl_->file, "t0_text");
    } else {
      impl_->choose_chunks(about.expected_rows);
      impl_->create_datasets();
      describe(impl_->file, labels, about, precision);
      add_h5md(impl_->file, labels, about);
      impl_->commit();
    }
    impl_->allocate_buffers();
  } catch (const InputError&) {
    impl_.reset();
    throw;
  } catch (const Failed& e) {
    impl_->abandon();
    impl_.reset();
    if (mode != OpenMode::append) unlink(path.c_str());  // a header without an end
    throw InputError(path + (mode == OpenMode::append ? ": the file cannot be continued (could not " : ": the file cannot be written (could not ") +
                     e.what() + ")");
  }
  move_cursors();
}

TrajectoryFile::~TrajectoryFile() {
  try {
    flush();
  } catch (const InputError&) {
    // The destructor cannot tell; whoever wants to know calls flush first.
  }
  const Quiet quiet;
  impl_.reset();
}

void TrajectoryFile::move_cursors() {
  const auto at = [&](int i) -> std::byte* {
    if (i < 0) return nullptr;
    Dataset& d = impl_->sets[static_cast<std::size_t>(i)];
    return d.buffer.data() + impl_->buffered * d.row_bytes();
  };
  for (int table = 0; table < tables; ++table) {
    cursor_[table] = at(impl_->index[table]);
    exact_cursor_[table] = at(impl_->exact_index[table]);
  }
}

void TrajectoryFile::next_row() {
  Impl& f = *impl_;
  if (f.failed) throw InputError(f.path + ": writing failed before; no row is added");
  ++f.buffered;
  // Blocks end where chunks end, so that no chunk is written twice.
  const bool full = f.buffered == f.buffer_rows - f.written % f.chunk_rows;
  // The first row at once: it makes what a killed run leaves readable from the start.
  const bool late = f.written == 0 || Clock::now() - f.committed > commit_interval;
  if (late) flush();
  else if (full) f.guarded([&] { f.write_rows(); });
  move_cursors();
}

void TrajectoryFile::flush() {
  Impl& f = *impl_;
  if (f.failed) return;
  f.guarded([&] {
    f.write_rows();
    f.commit();
  });
  move_cursors();
}

long TrajectoryFile::rows() const { return static_cast<long>(impl_->written + impl_->buffered); }

void TrajectoryFile::continue_from(double time, bool backwards) {
  Impl& f = *impl_;
  f.guarded([&] {
    const double slack = 16 * std::numeric_limits<double>::epsilon() * std::abs(time);
    std::size_t low = 0, high = f.written;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      const double behind = backwards ? f.time(middle) - time : time - f.time(middle);
      if (behind > slack) low = middle + 1;
      else high = middle;
    }
    f.keep(low);
  });
}

void TrajectoryFile::set_t0(const std::string& text, double value) {
  t0_ = text;
  impl_->guarded([&] {
    const Handle root(H5Gopen2(impl_->file, "/", H5P_DEFAULT), H5Gclose, "open the root");
    write_attribute(root, "t0", value);
    write_attribute(root, "t0_text", text);
  });
}

}  // namespace detail
}  // namespace holonom
